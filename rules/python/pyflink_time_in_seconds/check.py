"""Bare numbers in place of milliseconds: `allowed_lateness(2)`. Parameters as in PyFlink 1.20: time_ms, rollover_interval, timeout."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.python.tree import Call, last_name
from shoal.python.values import names

_SHORTEST = 100
_ELASTICSEARCH = names("set_connection_timeout set_connection_request_timeout set_socket_timeout")
# Programs that count event time in single milliseconds, as examples and tests do.
_FINE = pattern(r"\b(?:of_)?milli(?:s|seconds)\s*\(|\bfrom_collection\b|\bfrom_elements\b|\bTime\(\s*\d{1,3}\s*\)")
_SAYS = pattern(r"(?i)ms\b|milli|ms_")


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for call in module.named("allowed_lateness"):
        if module.receiver_type(call) == "flink.WindowedStream" and not _FINE.search(module.raw):
            what = "records that are later than that are dropped"
            yield from _judged(context, call, call.argument(0), what)
    for call in module.named("default_rolling_policy"):
        if module.qualified(call).startswith("pyflink."):
            for position, keyword in ((1, "rollover_interval"), (2, "inactivity_interval")):
                yield from _judged(context, call, call.argument(position, keyword), "the sink begins a new file that often")
    for call in module.named(*_ELASTICSEARCH):
        if _of_elasticsearch(module, call):
            yield from _judged(context, call, call.argument(0, "timeout"), "requests fail that are slower")


def _judged(context: Context, call: Call, node: Any, what: str) -> Iterator[Finding]:
    module = context.module
    value = module.constant(node, call.spot) if node is not None else None
    if isinstance(value, bool) or not isinstance(value, int) or not 0 < value < _SHORTEST or _SAYS.search(last_name(node)):
        return
    if "ms" in module.comment_at(module.span(node, call.spot)).lower().split():
        return
    message = f"these are {value} milliseconds, and {what} (write {value} * 1000 if seconds are meant)"
    yield context.finding(message, module.place(node, call.spot), covers=[module.covers(call)])


def _of_elasticsearch(module: Any, call: Call) -> bool:
    """Whether a call stands in the chain that begins with a builder of Elasticsearch's sink."""
    node = call.receiver_node
    while isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute):
        node = node.func.value
    return isinstance(node, cst.Call) and last_name(node.func).startswith("Elasticsearch") and last_name(node.func).endswith("SinkBuilder")
