"""`WatermarkStrategy.no_watermarks()` for every source of a module that uses event time."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding

_WINDOWS = frozenset(
    {"TumblingEventTimeWindows", "SlidingEventTimeWindows", "EventTimeSessionWindows", "EventTimeTrigger", "DynamicEventTimeSessionWindows"}
)


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    without, others = [], False
    for call in module.named(
        "no_watermarks", "for_bounded_out_of_orderness", "for_monotonous_timestamps", "for_generator", "assign_timestamps_and_watermarks"
    ):
        if call.name == "no_watermarks" and module.qualified(call).startswith("pyflink."):
            without.append(call)
        elif call.name != "no_watermarks":
            others = True
    if not without or others or any(call.name in ("from_source", "execute_sql") and call.has_stars for call in module.calls):
        return
    for call in module.calls:
        name = call.name
        # `TumblingEventTimeWindows.of(…)`
        window = module.qualified(call).split(".")[-2:-1] if name in ("of", "with_gap", "with_dynamic_gap", "create") else []
        if name == "register_event_time_timer" and module.contexts.of(call.function):
            what = "this event-time timer"
        elif window and window[0] in _WINDOWS:
            what = "an event-time window"
        else:
            continue
        message = f"{what} never fires: the sources have no watermarks, and event time does not move without them"
        yield context.finding(
            message, module.call_place(call), [(module.call_place(without[0]), "no watermarks")], covers=[module.covers(call)]
        )
        return
