"""A strategy given to a Kafka source, in a module with event-time windows or timers, without `with_idleness`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding

_SOURCES = frozenset({"flink.KafkaSource", "flink.PulsarSource", "flink.OldKafkaSource"})
_EVENT_TIME = ("TumblingEventTimeWindows", "SlidingEventTimeWindows", "EventTimeSessionWindows", "register_event_time_timer")


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    if module.named("with_idleness") or not any(name in module.raw for name in _EVENT_TIME):
        return
    for call in module.named("from_source"):
        strategy = call.argument(1, "watermark_strategy")
        made = module.objects(strategy, call.spot) if strategy is not None else []
        if (
            not made
            or any(obj.type != "flink.WatermarkStrategy" or obj.line()[-1].call.endswith("no_watermarks") for obj in made)
            or not _reads_partitions(module, call)
        ):
            continue
        message = "a partition without records holds the watermark of the whole source back, and windows and timers with it: add with_idleness(Duration.of_minutes(1))"
        yield context.finding(message, module.place(strategy, call.spot), covers=[module.covers(call)])


def _reads_partitions(module: Any, call: Any) -> bool:
    return module.type_of(call.argument(0, "source"), call.spot) in _SOURCES
