"""Waits for streaming queries that do not end by themselves: what stands behind one is not reached while all goes well."""

from __future__ import annotations

from typing import Any

import libcst as cst

from shoal.python.tree import Call, descend


def _handed_on(wait: Call) -> bool:
    """Whether the query is given to somebody before, who may stop it: `Thread(target=stop_when_full, args=(query,))`."""
    of = wait.receiver_node
    return isinstance(of, cst.Name) and any(
        isinstance(one, cst.Name) and one.value == of.value
        for call in (wait.function.calls if wait.function is not None else ())
        if call.spot.statement < wait.spot.statement
        for arg in call.node.args
        for one in descend(arg.value)
    )


def endless(module: Any, wait: Call) -> bool:
    """Whether the query that is waited for surely runs on."""
    if _handed_on(wait):
        return False
    if wait.name == "awaitAnyTermination":
        sinks = module.frames.sinks()
        return bool(sinks) and not any(sink.ends for sink in sinks)
    queries = [obj for obj in module.receivers(wait) if obj.type == "spark.StreamingQuery"]
    found = [module.frames.sink_of(query) for query in queries]
    return bool(found) and all(sink is not None and not sink.ends for sink in found)
