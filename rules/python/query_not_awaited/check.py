"""`start()` in a script that never waits for the query."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.clients import comes_to_an_end

_WAITS = frozenset({"awaitTermination", "awaitAnyTermination", "processAllAvailable", "awaitTerminationOrTimeout"})


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    if (
        module.notebook
        or any(call.name in _WAITS for call in module.calls)
        or module.tree.attribute_names & {"isActive", "awaitTermination", "active"}
    ):
        return
    if any(
        module.qualified(call) in ("time.sleep", "signal.pause") or (call.name in ("wait", "join", "run_forever") and call.use == "dropped")
        for call in module.calls
    ):
        return
    for call in module.named("start", "toTable"):
        if "spark.Writer" not in {obj.type for obj in module.receivers(call)} or call.use in ("returned", "argument", "yielded"):
            continue
        if not comes_to_an_end(module, call) or _kept(module, call):
            continue
        message = "nothing waits for this query: when the script ends the driver ends, and the query with it (awaitTermination, or spark.streams.awaitAnyTermination for several)"
        yield context.finding(
            message, module.call_place(call), confidence="" if call.function is None else "medium", covers=[module.covers(call)]
        )


def _kept(module, call) -> bool:  # type: ignore[no-untyped-def]
    """Whether the query leaves the function by a return or an attribute."""
    function = call.function
    if function is None:
        return False
    return any(node is not None for node, _ in function.returns) or (function.cls is not None)
