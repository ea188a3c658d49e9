"""`time.sleep` where a task thread runs it: records, timers and checkpoint barriers wait behind it."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.python import blocking
from shoal.python.contexts import TASK
from shoal.python.flow import endless
from shoal.python.tree import Call, descend, last_name
from shoal.templates import beam

_HOLDS_BACK = pattern(r"(?i)rate_?limit|throttl")
_STILL_RUNS = frozenset({"is_alive", "isAlive", "running"})


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for call, where in module.contexts.calls(*TASK, "foreach", "step"):
        found = blocking.sleeping(module, call)
        if found is None:
            continue
        looped = call.spot.in_loop()
        if found.seconds is not None and found.seconds < context.options["seconds"] and not looped:
            continue
        if found.seconds == 0 or (where.kind == "dofn" and beam.unbounded(job, module) is False):
            continue
        length = f" for {blocking.seconds(found.seconds)}" if found.seconds is not None else ""
        retried = _between_tries(call)
        again = ", and again on every turn of the loop" if looped and not retried else ""
        behind = ", after each try that fails" if retried else ""
        what = "no record" if where.kind == "step" else "no record, timer or checkpoint barrier"
        message = f"sleeps{length}{again} {where.told()}{behind}: {what} gets past it meanwhile"
        # a sink is flushed to wait for what it has sent
        flushes = where.kind == "step" and looped and call.function is not None and call.function.name == "flush"
        confidence = "low" if retried or flushes or _is_meant(call) else "" if found.seconds is not None else "medium"
        yield context.finding(message, module.call_place(call), confidence=confidence, covers=[module.covers(call)])


def _is_meant(call: Call) -> bool:
    """Whether waiting is what the code is for: it holds records back, or looks after a thread or a program of its own (`while worker.is_alive()`)."""
    function, loop = call.function, call.spot.loop
    called = "" if function is None else f"{function.name} {function.cls.name if function.cls is not None else ''}"
    parts = descend(loop.test) if isinstance(loop, cst.While) else ()
    asks = {last_name(node.func) for node in parts if isinstance(node, cst.Call)}
    return bool(_HOLDS_BACK.search(called) or asks & _STILL_RUNS)


def _between_tries(call: Call) -> bool:
    """Whether it is the pause of a loop that tries again what failed, and that gives up or goes on by itself: only where something fails does anything wait."""
    loop, arms = call.spot.loop, list(call.spot.arms)
    inner = arms[next((at for at in range(len(arms), 0, -1) if arms[at - 1].kind == "loop"), 0) :]
    return isinstance(loop, (cst.For, cst.While)) and not endless(loop) and any(arm.kind == "except" for arm in inner)
