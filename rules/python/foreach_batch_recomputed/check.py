"""Two or more actions or writes on a batch that is not persisted."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python import frames


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for function, _ in module.contexts.running("foreach-batch"):
        if any(call.name in ("persist", "cache", "localCheckpoint", "checkpoint") for call in function.calls):
            continue
        done = [(call, kind) for call, kind in frames.batch_calls(module, function) if call.name not in ("isEmpty", "take", "first", "head")]
        for index, (call, _kind) in enumerate(done[1:], 1):
            earlier = next((other for other, _ in done[:index] if _together(other, call)), None)
            if earlier is None:
                continue
            message = f"the whole batch is read and computed again for {call.name}(): persist() it first and unpersist() it at the end"
            yield context.finding(message, module.call_place(call), [(module.call_place(earlier), "computed here before")], covers=[module.covers(call)])
            break


def _together(one, other) -> bool:  # type: ignore[no-untyped-def]
    """Whether both calls happen in one run of the function."""
    arms = {arm.group: arm.index for arm in one.spot.arms}
    return all(arms.get(arm.group, arm.index) == arm.index for arm in other.spot.arms)
