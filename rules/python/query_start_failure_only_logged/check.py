"""`for topic in topics: try: start(topic) except Exception: log`: the driver runs on with the queries that did start."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python import clients, handlers
from shoal.python.flow import catches_all, reraises
from shoal.python.tree import Call, descend

_LEVELS = 3


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    if module.notebook or not module.named("awaitTermination", "awaitAnyTermination"):
        return
    seen = set()
    for sink in module.frames.sinks():
        start = sink.calls.get("start") or sink.calls.get("toTable")
        if start is None:
            continue
        for handler, call in _caught(module, start):
            loop = _loop(module, call, handler)
            if loop is None or id(handler) in seen or _counts(module, loop):
                continue
            seen.add(id(handler))
            message = "a query that cannot be started is only logged, and the driver runs on with the others: nothing reads its source until someone looks (let it raise)"
            related = [(module.call_place(start), "started here")]
            confidence = "low" if sink.demo or sink.ends else ""
            yield context.finding(message, module.handler_place(handler), related, confidence=confidence)


def _caught(module: Any, start: Call) -> Iterator[tuple[Any, Call]]:
    """The handlers that only log what fails in a start, each with the call in its `try`, up through the functions that let it raise."""
    waiting, met = [(start, 0)], set()
    while waiting:
        call, levels = waiting.pop(0)
        handler = next((one for one in clients.handlers(call) if catches_all(one) and not reraises(one)), None)
        if handler is not None:
            if _only_logs(module, handler):
                yield handler, call
        elif call.function is not None and levels < _LEVELS and id(call.function) not in met:
            met.add(id(call.function))
            waiting += [(site, levels + 1) for site in module.call_sites(call.function)]


def _only_logs(module: Any, handler: Any) -> bool:
    spot = module.spot_of(handler)
    gives = [part for part in descend(handler.body) if isinstance(part, cst.Return)]
    return (
        spot is not None
        and (not gives or handlers.gives_none(handler))
        and handlers.only_logs(module, handler, spot.scope, (cst.Continue, cst.Return))
    )


def _loop(module: Any, call: Call, handler: Any) -> Any:
    """The call in a `for` that starts one query a round, and goes on after a failure: the one that is tried, or one of the function that gives None for it."""
    if any(isinstance(part, cst.Return) for part in descend(handler.body)) or not call.spot.in_loop():
        sites = module.call_sites(call.function) if call.function is not None else []
        return next((site for site in sites if _goes_on(module, site)), None)
    return call if _goes_on(module, call) else None


def _goes_on(module: Any, call: Call) -> bool:
    """Whether a call stands in a `for` that is left by nothing else than its end: one that tries several times leaves by `break` or `return`."""
    loop = call.spot.loop
    return isinstance(loop, cst.For) and not any(isinstance(part, (cst.Break, cst.Return, cst.Raise)) for part in descend(loop.body))


def _counts(module: Any, call: Call) -> bool:
    """Whether something behind the loop raises, or exits, where some are missing: not only where there are none."""
    raised = [one.spot for one in module.tree.statements if isinstance(one.node, cst.Raise)]
    for spot in (*raised, *(other.spot for other in module.named("exit", "_exit"))):
        tests = [arm.test for arm in spot.arms if arm.kind == "if" and arm not in call.spot.arms]
        if spot.function is call.function and spot.statement > call.spot.statement and tests and not any(map(_none_at_all, tests)):
            return True
    return False


def _none_at_all(test: Any) -> bool:
    """`not queries`, `len(queries) == 0`."""
    if isinstance(test, cst.Comparison):
        return isinstance(test.comparisons[0].operator, cst.Equal) and getattr(test.comparisons[0].comparator, "value", "") == "0"
    return isinstance(test, cst.UnaryOperation) and isinstance(test.operator, cst.Not)
