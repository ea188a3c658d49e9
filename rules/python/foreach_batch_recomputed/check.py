"""Two or more actions or writes on a batch, or on frames made from it, that is not persisted."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.frames import KEEPERS, BatchCall
from shoal.python.tree import Function, chain

# They look at a few rows, which is cheap as long as nothing has to be shuffled for them.
_CHEAP = frozenset({"isEmpty", "take", "first", "head"})
# Before these see a row, all are read: a limit behind them saves nothing.
_WHOLE = ("orderBy", "sort", "groupBy", "groupby", "distinct", "dropDuplicates")
_KEEPING = re.compile(r"#.*\b(?:persist|cach)", re.IGNORECASE)


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for function, where in module.contexts.running("foreach-batch"):
        if where.through and not (len(where.through) == 1 and where.through[0].is_lambda):
            continue
        kept = {id(frame.node) for call in function.calls if call.name in KEEPERS for frame in module.frames.receivers(call)}
        done = [
            one
            for one in module.frames.batch_calls(function)
            if one.call.name not in _CHEAP
            and not any(
                at.op in KEEPERS or (at.op == "limit" and not at.steps(*_WHOLE)) or id(at.node) in kept
                for frame in one.frames
                for at in frame.all()
            )
        ]
        for index, one in enumerate(done[1:], 1):
            earlier = next((other for other in done[:index] if _follows(module, function, other, one)), None)
            if earlier is None:
                continue
            message = f"the whole batch is read and computed again for {one.call.name}(): persist() it first and unpersist() it at the end"
            severity = "info" if "show" in (one.call.name, earlier.call.name) else ""
            related = [(module.call_place(earlier.call), "computed here before")]
            confidence = "low" if _weighed(module, function) else ""
            at = chain(one.call).get("format", one.call)  # of a write over many lines
            yield context.finding(message, module.call_place(at), related, severity, confidence, covers=[module.covers(one.call)])
            break


def _weighed(module: Any, function: Function) -> bool:
    """Whether a comment in the function speaks of keeping the batch: somebody thought of it (serverless compute refuses to)."""
    return any(_KEEPING.search(line) for line in module.tree.node.code_for_node(function.node).splitlines())


def _follows(module: Any, function: Function, one: BatchCall, other: BatchCall) -> bool:
    """Whether the second happens after the first in one run of the function."""
    arms = {arm.group: arm.index for arm in one.call.spot.arms}
    if any(arms.get(arm.group, arm.index) != arm.index or arm.kind == "except" for arm in other.call.spot.arms):
        return False
    first, second = (module.tree.statements[at.call.spot.statement].node for at in (one, other))
    return first is second or id(second) in module.flow(function).after(first)
