"""`with_idleness` and `with_watermark_alignment` make PyFlink's strategy anew, from its Java twin, which knows no assigner of Python's."""

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


def _assigns(step: Object) -> bool:
    return step.call.rpartition(".")[2] == _ASSIGNER
