"""The capacity of `AsyncDataStream.ordered_wait` and its three sisters."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.values import Known
from shoal.templates import flink

_POSITIONS = {"unordered_wait": 3, "ordered_wait": 3, "unordered_wait_with_retry": 4, "ordered_wait_with_retry": 4}


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for call in module.named(*_POSITIONS):
        node = call.argument(_POSITIONS[call.name], "capacity")
        if node is None or not module.qualified(call).startswith("pyflink."):
            continue
        value = module.value(node, call.spot)
        if not isinstance(value, Known) or not isinstance(value.value, int) or isinstance(value.value, bool):
            continue
        place = module.place(node, call.spot)
        if value.value <= 0:
            yield context.finding("no room for a request: the first record waits for ever, and every checkpoint behind it fails", place)
        elif told := flink.capacity_extreme(value.value):
            yield context.finding(told, place, severity="info", confidence="low")
