"""`start()` in a script that never waits for the query."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python import names_elsewhere
from shoal.python.clients import comes_to_an_end
from shoal.python.tree import Call

_QUERY = "spark.StreamingQuery"
_WAITS = frozenset({"awaitTermination", "awaitAnyTermination", "processAllAvailable", "awaitTerminationOrTimeout"})


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Once a function: the queries that one wait would serve."""
    module = context.module
    if module.notebook or _waits(module) or _given_a_session(module):
        return
    groups: dict[int, list[Call]] = {}
    for call in module.named("start", "toTable"):
        if "spark.Writer" not in {obj.type for obj in module.receivers(call)} or call.use in ("returned", "argument", "yielded"):
            continue
        if comes_to_an_end(module, call) and not _kept(module, call):
            groups.setdefault(id(call.function), []).append(call)
    for call in module.calls:
        started = call.use in ("dropped", "assigned") and (module.others.query(call) is not None or _started_here(module, call))
        if started and not _handed_on(module, call) and comes_to_an_end(module, call) and not _kept(module, call):
            groups.setdefault(id(call.function), []).append(call)
    for calls in groups.values():
        first, others = calls[0], calls[1:]
        which = "these queries" if others else "this query"
        message = (
            f"nothing waits for {which}: when the script ends the driver ends, and {'they end' if others else 'the query ends'} with it "
            "(awaitTermination, or spark.streams.awaitAnyTermination for several)"
        )
        related = [(module.call_place(call), "nor for this one") for call in others]
        confidence = "" if first.function is None else "medium"
        yield context.finding(message, module.call_place(first), related, confidence=confidence, covers=[module.covers(first)])


def _waits(module: Any) -> bool:
    """Whether the module waits for something, for a query or by a loop of its own."""
    if any(call.name in _WAITS for call in module.calls) or module.tree.attribute_names & {"isActive", "awaitTermination", "active"}:
        return True
    return any(
        module.qualified(call) in ("time.sleep", "signal.pause") or (call.name in ("wait", "join", "run_forever") and call.use == "dropped")
        for call in module.calls
    )


def _given_a_session(module: Any) -> bool:
    """Whether `spark` comes from nowhere in the module: cells of a notebook, or lines for a shell."""
    names = module.tree.name_uses.get("spark", ())
    return bool(names) and not any("spark" in at.bindings for scope in names for at in _outwards(scope))


def _handed_on(module: Any, started: Call) -> bool:
    """Whether other modules may wait for a query that one of them has started: they are called later, or given what it gave."""
    later = (call for call in module.calls if call.spot.statement > started.spot.statement or call.spot.in_loop())
    for call in later:
        name = module.qualified(call)
        if (name and not names_elsewhere.is_foreign(name)) or any(module.type_of(arg.value, call.spot) == _QUERY for arg in call.node.args):
            return True
    return False


def _started_here(module: Any, call: Call) -> bool:
    """Whether a function of this module starts a query, and gives it back to this call."""
    return call.name not in ("start", "toTable") and module.type_of(call.node, call.spot) == _QUERY


def _outwards(scope: Any) -> Iterator[Any]:
    while scope is not None:
        yield scope
        scope = scope.outer


def _kept(module: Any, call: Call) -> bool:
    """Whether the query may leave the function by a return or an attribute."""
    function = call.function
    if function is None:
        return False
    in_field = function.cls is not None and call.use != "dropped" and not module.assigned(call)
    return in_field or any(node is not None for node, _ in function.returns)
