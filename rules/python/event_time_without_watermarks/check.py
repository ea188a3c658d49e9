"""`WatermarkStrategy.no_watermarks()` for every source of a module that uses event time, or for the one that a window is on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.tree import Call
from shoal.python.values import Object

_WINDOWS = frozenset(
    {"TumblingEventTimeWindows", "SlidingEventTimeWindows", "EventTimeSessionWindows", "EventTimeTrigger", "DynamicEventTimeSessionWindows"}
)


# A stream that is several streams, of which another may have watermarks.
_MIXES = frozenset({"union", "connect", "join", "co_group"})


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    without, others = [], False
    for call in module.named(
        "no_watermarks", "for_bounded_out_of_orderness", "for_monotonous_timestamps", "for_generator", "assign_timestamps_and_watermarks"
    ):
        if call.name == "no_watermarks" and module.qualified(call).startswith("pyflink."):
            without.append(call)
        elif call.name != "no_watermarks" and (call.name != "assign_timestamps_and_watermarks" or _assigned(module, call) is None):
            others = True
    if not without or others or any(call.name in ("from_source", "execute_sql") and call.has_stars for call in module.calls):
        yield from _of_streams(context)
        return
    for call in module.calls:
        if call.name == "register_event_time_timer" and module.contexts.of(call.function):
            what = "this event-time timer"
        elif _is_window(module, call):
            what = "an event-time window"
        else:
            continue
        yield _finding(context, what, call, without[0])


def _of_streams(context: Context) -> Iterator[Finding]:
    """Windows on a stream that comes from a source without watermarks, where other streams of the module may have some."""
    module = context.module
    for call in module.named("window", "window_all"):
        node = call.argument(0, "window_assigner")
        made = node if isinstance(node, cst.Call) else None
        if made is None or not _is_window(
            module, Call(made, made.func.attr.value if isinstance(made.func, cst.Attribute) else "", call.spot, None, "")
        ):
            continue
        lines = [obj.line() for obj in module.receivers(call)]
        sources = [_source(module, line) for line in lines]
        first = sources[0] if sources and None not in sources else None
        if first is not None:
            yield _finding(context, "an event-time window", call, first)


def _source(module: Any, line: list[Object]) -> Call | None:
    """The call of `no_watermarks()` in the source that a stream begins with, or that takes in a `FlinkKafkaConsumer`; None where it has watermarks, or may have."""
    for step in line:
        name = step.call.rpartition(".")[2]
        if name == "from_source" and isinstance(step.node, cst.Call):
            return _none(module, Call(step.node, name, step.spot, None, "").argument(1, "watermark_strategy"), step.spot)
        if name == "add_source" and isinstance(step.node, cst.Call):
            read = Call(step.node, name, step.spot, None, "")
            kinds = {made.type for made in module.objects(read.argument(0, "source_func"), step.spot)}
            return read if kinds == {"flink.OldKafkaSource"} and "IngestionTime" not in module.raw else None
        if name in _MIXES:
            return None
        if name == "assign_timestamps_and_watermarks" and isinstance(step.node, cst.Call):
            return _assigned(module, Call(step.node, name, step.spot, None, ""))
    return None


def _none(module: Any, node: Any, spot: Any) -> Call | None:
    """The call of `no_watermarks()` that a strategy surely is, written there or under a name that is given once."""
    found = [binding for binding, _ in module.lookup(node.value, spot)] if isinstance(node, cst.Name) else []
    if len(found) == 1 and found[0].kind == "assign":
        node, spot = found[0].node, found[0].spot
    given = Call(node, "no_watermarks", spot, None, "") if isinstance(node, cst.Call) else None
    return given if given is not None and module.qualified(given).endswith("WatermarkStrategy.no_watermarks") else None


def _assigned(module: Any, call: Call) -> Call | None:
    """The call of `no_watermarks()` that a step which assigns timestamps and watermarks is given."""
    return _none(module, call.argument(0, "watermark_strategy"), call.spot)


def _is_window(module: Any, call: Call) -> bool:
    """`TumblingEventTimeWindows.of(…)`"""
    owner = module.qualified(call).split(".")[-2:-1] if call.name in ("of", "with_gap", "with_dynamic_gap", "create") else []
    return bool(owner) and owner[0] in _WINDOWS


def _finding(context: Context, what: str, call: Call, without: Call) -> Finding:
    module = context.module
    message = f"{what} never fires: the sources have no watermarks, and event time does not move without them"
    return context.finding(message, module.call_place(call), [(module.call_place(without), "no watermarks")], covers=[module.covers(call)])
