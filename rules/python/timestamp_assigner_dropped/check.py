"""PyFlink keeps an assigner beside the strategy's Java twin: `with_idleness` and `with_watermark_alignment` make a strategy anew from the twin alone,
and `from_source` hands on nothing else (read in 1.20.1 and 2.1.1). Only `assign_timestamps_and_watermarks` asks for it."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.values import Object

_ASSIGNER = "with_timestamp_assigner"


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for call in module.named("with_idleness", "with_watermark_alignment"):
        lines = [made.line() for made in module.receivers(call) if made.type == "flink.WatermarkStrategy"]
        if not lines or not all(any(_assigns(step) for step in line) for line in lines):
            continue
        given = next(step for step in lines[0] if _assigns(step))
        message = f"the timestamps are Kafka's or none: {call.name} makes a new strategy, and the assigner that was given before stays with the old one"
        related = [(module.place(given.node.func.attr, given.spot), "move it behind the others")]
        yield context.finding(message, module.call_place(call), related, covers=[module.covers(call)])
    if module.named("assign_timestamps_and_watermarks"):
        return  # the stream may get its timestamps there
    for call in module.named("from_source"):
        strategy = call.argument(1, "watermark_strategy") if module.receiver_type(call) == "flink.Environment" else None
        lines = [made.line() for made in module.objects(strategy, call.spot)] if strategy is not None else []
        given = [next((step for step in reversed(line) if _assigns(step)), None) for line in lines]
        if given and given[0] is not None and None not in given:
            message = "the assigner is never called: from_source hands on the Java strategy alone, and the timestamps are those of Kafka's records, or none (give it to assign_timestamps_and_watermarks of the stream)"
            yield context.finding(message, module.place(given[0].node.func.attr, given[0].spot), covers=[module.covers(call)])


def _assigns(step: Object) -> bool:
    return step.call.rpartition(".")[2] == _ASSIGNER
