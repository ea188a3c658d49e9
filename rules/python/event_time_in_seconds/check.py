"""`time.time()` and `datetime.timestamp()` are seconds; Flink's timestamps and timers, and Kafka's records, want milliseconds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.tree import Function, Spot
from shoal.python.values import Symbol, names, options

_TIMERS = ("register_event_time_timer", "register_processing_time_timer", "delete_event_time_timer", "delete_processing_time_timer")
# What makes a datetime; a context of Flink's has a timestamp() too, which is in milliseconds.
_DATETIMES = names("now utcnow today strptime fromisoformat fromtimestamp utcfromtimestamp combine replace astimezone isoparse parse")


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for function in module.functions:
        if function.name == "extract_timestamp" and function.cls is not None and _assigner(module, function):
            for node, spot in function.returns:
                if node is not None and _seconds(module, node, spot):
                    message = (
                        "these are seconds, and Flink reads milliseconds: all events lie in January 1970, a thousand of their seconds in one, "
                        "so that windows, timers and idleness are off by as much; multiply by 1000 before int()"
                    )
                    yield context.finding(message, module.place(node, spot))
    for call in module.named(*_TIMERS):
        node = call.argument(0, "timestamp")
        if node is not None and call.receiver_node is not None and _seconds(module, node, call.spot):
            message = f"these are seconds, and {call.name} takes milliseconds: the timer stands in January 1970, and fires at once"
            yield context.finding(message, module.place(node, call.spot), covers=[module.covers(call)])
    for call in module.named("send", "send_and_wait", "produce"):
        node = call.argument(99, "timestamp_ms" if call.name != "produce" else "timestamp")
        known = call.name != "produce" or module.receiver_type(call) in ("confluent.Producer", "quix.Producer")
        if node is not None and known and _seconds(module, node, call.spot):
            says = "timestamp_ms is what it says" if call.name != "produce" else "produce() takes milliseconds"
            message = f"these are seconds, and {says}: the record is dated January 1970, which retention deletes first"
            yield context.finding(message, module.place(node, call.spot), covers=[module.covers(call)])


def _assigner(module: Any, function: Function) -> bool:
    return any(base.startswith("pyflink.") and base.endswith("TimestampAssigner") for base in module.bases(function.cls))


def _seconds(module: Any, node: Any, spot: Spot, level: int = 5) -> bool:
    """Whether an expression is surely a time in seconds since 1970, as it is or with something added."""
    if not level:
        return False
    if isinstance(node, cst.Name):
        found = module.lookup(node.value, spot)
        return bool(found) and all(
            binding.kind == "assign" and _seconds(module, binding.node, binding.spot, level - 1) for binding, _ in found
        )
    if isinstance(node, cst.BinaryOperation):
        return isinstance(node.operator, (cst.Add, cst.Subtract)) and _seconds(module, node.left, spot, level - 1)
    if not isinstance(node, cst.Call):
        return False
    if isinstance(node.func, cst.Name) and node.func.value in ("int", "float", "round") and node.args:
        return _seconds(module, node.args[0].value, spot, level - 1)
    if any(isinstance(made, Symbol) and made.name in ("time.time", "calendar.timegm") for made in options(module.value(node.func, spot))):
        return True
    return (
        isinstance(node.func, cst.Attribute)
        and node.func.attr.value == "timestamp"
        and not node.args
        and _datetime(module, node.func.value, spot, level)
    )


def _datetime(module: Any, node: Any, spot: Spot, level: int) -> bool:
    if isinstance(node, cst.Name) and level:
        found = module.lookup(node.value, spot)
        return bool(found) and all(
            binding.kind == "assign" and _datetime(module, binding.node, binding.spot, level - 1) for binding, _ in found
        )
    return isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute) and node.func.attr.value in _DATETIMES
