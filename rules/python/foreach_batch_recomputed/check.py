"""Two or more actions or writes on a batch, or on frames made from it, that is not persisted; or one in a loop."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.python.clients import left
from shoal.python.frame import KEEPERS
from shoal.python.frames_of_batches import BatchCall
from shoal.python.tree import Call, Function, chain, last_name

# They look at a few rows, which is cheap as long as nothing has to be shuffled for them.
_CHEAP = frozenset({"isEmpty", "take", "first", "head"})
# Before these see a row, all are read: a limit behind them saves nothing.
_WHOLE = ("orderBy", "sort", "groupBy", "groupby", "distinct", "dropDuplicates")
_CACHES = pattern(r"(?i)\s*cache\s")
_KEEPING = pattern(r"#.*\b(?:persist|cach)", re.IGNORECASE)


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for function, where in module.contexts.running("foreach-batch"):
        if any(call.name in KEEPERS for outer in where.through for call in outer.calls):
            continue  # what hands the batch on has kept it
        if "forEachBatch" in where.how:
            continue  # AWS Glue persists each batch before it hands it on
        if any(call.name == "cacheTable" or _CACHES.match(_statement(module, call)) for call in function.calls):
            continue  # a view of the batch is kept
        keepers = [(call, {id(frame.node) for frame in module.frames.receivers(call)}) for call in function.calls if call.name in KEEPERS]
        kept = {node for _, nodes in keepers for node in nodes}
        whole = [
            one
            for one in module.frames.batch_calls(function)
            if one.call.name not in _CHEAP
            and not any(at.op in KEEPERS or (at.op == "limit" and not at.steps(*_WHOLE)) for frame in one.frames for at in frame.all())
        ]
        done = [one for one in whole if not any(id(at.node) in kept for frame in one.frames for at in frame.all())]
        for index, one in enumerate(done[1:], 1):
            earlier = next((other for other in done[:index] if module.frames.follows(function, other.call, one.call)), None)
            if earlier is None:
                continue
            message = f"the whole batch is read and computed again for {one.call.name}(): persist() it first and unpersist() it at the end"
            severity = "info" if "show" in (one.call.name, earlier.call.name) else ""
            related = [(module.call_place(earlier.call), "computed here before")]
            confidence = "low" if _weighed(module, function) else ""
            at = chain(one.call).get("format", one.call)  # of a write over many lines
            yield context.finding(message, module.call_place(at), related, severity, confidence, covers=[module.covers(one.call)])
            break
        else:
            yield from _in_each_round(context, function, done)
        yield from _before_it_is_kept(context, function, whole, keepers)


def _in_each_round(context: Context, function: Function, done: list[BatchCall]) -> Iterator[Finding]:
    """The one thing that is done with a batch, in a loop over tables, tenants and the like; not one that tries again until it succeeds."""
    module = context.module
    for one in done:
        loop = one.call.spot.loop
        if not isinstance(loop, cst.For) or left(loop) or _counts(loop):
            continue
        message = f"the whole batch is read and computed again for {one.call.name}() in each round of this loop: persist() it before and unpersist() it behind"
        at = chain(one.call).get("format", one.call)
        confidence = "low" if _weighed(module, function) else ""
        yield context.finding(message, module.call_place(at), confidence=confidence, covers=[module.covers(one.call)])
        return


def _counts(loop: cst.For) -> bool:
    """Whether a loop only counts, as one over attempts does."""
    return isinstance(loop.iter, cst.Call) and last_name(loop.iter.func) == "range"


def _before_it_is_kept(
    context: Context, function: Function, whole: list[BatchCall], keepers: list[tuple[Call, set[int]]]
) -> Iterator[Finding]:
    """`if batch.count() == 0: return` above `batch.persist()`."""
    module = context.module
    for index, (keeper, nodes) in enumerate(keepers):
        if any(nodes & others for _, others in keepers[:index]) or keeper.spot.conditional:
            continue
        for one in whole:
            of_it = any(id(at.node) in nodes for frame in one.frames for at in frame.all())
            if of_it and not one.call.spot.conditional and one.call.spot.statement < keeper.spot.statement:
                message = f"{one.call.name}() stands before {keeper.name}(): the whole batch is read and computed for it, and then again for what is kept"
                related = [(module.call_place(keeper), "kept only from here on")]
                yield context.finding(message, module.call_place(one.call), related, covers=[module.covers(one.call)])
                break


def _weighed(module: Any, function: Function) -> bool:
    """Whether a comment in the function speaks of keeping the batch: somebody thought of it (serverless compute refuses to)."""
    return any(_KEEPING.search(line) for line in module.tree.node.code_for_node(function.node).splitlines())


def _statement(module: Any, call: Call) -> str:
    return str(module.string(call.argument(0, "sqlQuery"), call.spot)) if call.name == "sql" else ""
