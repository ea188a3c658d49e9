"""`while True: try: ask; sleep; except Exception: log`: the handler is come to before the pause, and goes on at once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.python import handlers
from shoal.python.flow import catches_all, caught, endless
from shoal.python.tree import Call, contains, descend
from shoal.python.values import names

_PAUSES = frozenset({"time.sleep", "asyncio.sleep"})
# What may take its time, or end the loop, outside of the `try`.
_WAITS = pattern(r"(?i)sleep|wait|poll|delay|backoff|join|\bbreak\b|\breturn\b|\binput\(")
# Clients and decorators that wait between attempts themselves.
_PATIENT = pattern(r"\b(?:Retry\(|tenacity\b|backoff\b|retrying\b|ratelimit\b|max_retries\b)")
_HTTP = names("get post put request send")
_LIBRARIES = ("requests.", "httpx.", "urllib.request.")
_FAILURES = names("RequestException ConnectionError HTTPError Timeout URLError OSError")
_LEVELS = 2


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    said: set[int] = set()
    for pause in module.named("sleep"):
        loop = next((loop for loop in reversed(pause.spot.loops) if isinstance(loop, cst.While)), None)
        if module.qualified(pause) not in _PAUSES or loop is None or id(loop) in said or not _goes_on(loop):
            continue
        attempt = next((line for line in loop.body.body if isinstance(line, cst.Try) and contains(line.body, pause.node)), None)
        if attempt is None or _PATIENT.search(module.raw):
            continue
        rest = [line for line in loop.body.body if line is not attempt] + [part for part in (attempt.finalbody, attempt.orelse) if part]
        if any(_WAITS.search(module.tree.node.code_for_node(line)) for line in rest):
            continue
        handler = next((one for one in attempt.handlers if catches_all(one) or _FAILURES & set(caught(one))), None)
        asks = next((call for call in _asking(module, attempt, loop) if call.spot.statement < pause.spot.statement), None)
        if handler is None or asks is None or not _only_tells(module, handler, pause.spot.scope):
            continue
        said.add(id(loop))
        message = (
            "after a request that fails the loop asks again at once: the pause stands behind the request, and this handler only logs; it asks as fast as the "
            "other side refuses, until that locks the program out or the log has filled the disk (a pause here, or behind the try)"
        )
        related = [(module.call_place(asks), "the request"), (module.call_place(pause), "the pause that a failure never comes to")]
        yield context.finding(message, module.handler_place(handler), related)


def _goes_on(loop: cst.While) -> bool:
    """Whether a loop goes on for ever, or until it is told or a time has come: one that counts its attempts is no such loop."""
    return endless(loop) or not any(
        isinstance(part, cst.Name) and part.value.startswith(("attempt", "retr", "tr")) for part in descend(loop.test)
    )


def _only_tells(module: Any, handler: Any, scope: Any) -> bool:
    """Whether a handler goes on with the loop after no more than a line in the log."""
    return "sleep" not in handlers.called(handler.body) and handlers.only_logs(module, handler, scope, cst.Continue)


def _asking(module: Any, attempt: cst.Try, loop: cst.While) -> Iterator[Call]:
    """The requests in a `try`, and the calls of functions that make one and let its failure out."""
    for call in module.calls:
        if call.spot.guarded and call.spot.guarded[-1] is attempt and call.spot.loop is loop and _asks(module, call, _LEVELS):
            yield call


def _asks(module: Any, call: Call, levels: int) -> bool:
    name = module.qualified(call)
    if name.startswith(_LIBRARIES) and (call.name in _HTTP or name == "urllib.request.urlopen"):
        return True
    if call.name in _HTTP and module.receiver_type(call) == "py.HttpSession":
        return True
    function = module.target(call) if levels else None
    if function is None or function.decorators:
        return False
    if any(one.name == "sleep" for one in function.calls):
        return False
    return any(not one.spot.guarded and not one.spot.in_loop() and _asks(module, one, levels - 1) for one in function.calls)
