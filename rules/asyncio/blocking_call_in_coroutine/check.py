"""Calls that block the event loop: sleeps, synchronous clients, waits."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python import blocking
from shoal.python.tree import Call

_SYNC_HTTP = ("requests.", "urllib.request.urlopen")


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for function in module.functions:
        if not function.is_async:
            continue
        kinds = module.contexts.kinds(function)
        for call in function.calls:
            what = _blocks(module, call)
            if not what:
                continue
            loop = "the async operator's" if "async" in kinds else "the"
            message = f"{what} blocks {loop} event loop: no other request, callback or heartbeat of this loop runs until it returns"
            yield context.finding(message, module.call_place(call), covers=[module.covers(call)])


def _blocks(module, call: Call) -> str:  # type: ignore[no-untyped-def]
    if call.use == "awaited":
        return ""
    found = blocking.sleeping(module, call)
    if found is not None:
        return "" if found.seconds == 0 else "time.sleep"
    name = module.qualified(call)
    if name.startswith(_SYNC_HTTP) and call.name in ("get", "post", "put", "delete", "patch", "head", "request", "urlopen"):
        return name
    if module.receiver_type(call) == "py.HttpSession" and call.name in ("get", "post", "put", "delete", "patch", "head", "request"):
        return f"requests' {call.name}"
    held = blocking.process(module, call)
    if held is not None:
        return held.what
    wait = blocking.waiting(module, call)
    if wait is not None and not wait.what.startswith(("acquire", "result")):
        return wait.what
    kind = module.receiver_type(call)
    if kind == "confluent.Consumer" and call.name in ("poll", "consume") and _long(module, call):
        return f"the consumer's {call.name}"
    return ""


def _long(module, call: Call) -> bool:  # type: ignore[no-untyped-def]
    timeout = module.constant(call.argument(0 if call.name == "poll" else 1, "timeout"), call.spot)
    return isinstance(timeout, (int, float)) and timeout >= 0.5
