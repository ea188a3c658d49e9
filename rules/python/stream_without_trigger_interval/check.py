"""A streaming writer to files or a table that is started without `trigger(…)`, or with an interval of seconds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.frame import Sink
from shoal.python.tree import Call, chain
from shoal.values import NANOS_PER_SECOND, Duration
from shoal.values.spark import parse_trigger

_FILES = frozenset(["delta", "iceberg", "hudi", "org.apache.hudi", "parquet", "json", "csv", "orc", "avro", "text"])
_TABLES = frozenset(["toTable", "table", "saveAsTable", "insertInto"])
# The longest interval that is too short, in seconds; of Iceberg's tables its documentation says a minute at the least.
_SHORT, _SHORT_OF_ICEBERG = 5, 59


def check(job: Job, context: Context) -> Iterator[Finding]:
    """A writer that is started elsewhere may be given its trigger there."""
    module = context.module
    seen = set()
    for sink in module.frames.sinks():
        node = sink.writer.node
        if id(node) in seen or not {"start", "toTable"} & set(sink.calls):
            continue
        what = _target(module, sink)
        if not what:
            continue
        seen.add(id(node))
        if trigger := sink.calls.get("trigger"):
            yield from _often(context, sink, trigger, what)
            continue
        message = f"the next batch begins as soon as the last one is done: a commit and small files in {what} every few hundred milliseconds while records trickle in; trigger(processingTime=…) bounds how often"
        covers = [module.covers(call) for call in sink.calls.values()]
        yield context.finding(message, module.place(node.attr, sink.writer.spot), covers=covers)


def _often(context: Context, sink: Sink, trigger: Call, what: str) -> Iterator[Finding]:
    module = context.module
    given = trigger.argument(99, "processingTime") if not trigger.has_stars else None
    text = module.string(given, trigger.spot) if given is not None else ""
    interval = parse_trigger(text) if text else None
    seconds = interval.nanos / NANOS_PER_SECOND if isinstance(interval, Duration) else None
    if seconds is None or seconds > (_SHORT_OF_ICEBERG if sink.format == "iceberg" else _SHORT):
        return
    how = f"every {seconds:g} s, up to {86_400 / seconds:,.0f} times a day" if seconds else "as soon as the last one is done"
    message = f"a batch is committed to {what} {how}: each leaves small files and an entry in its log, and readers go through all of them"
    message += "; Iceberg's documentation asks for a minute at the least" if sink.format == "iceberg" else ""
    yield context.finding(message, module.place(given, trigger.spot), covers=[module.covers(trigger)])


def _target(module: Any, sink: Sink) -> str:
    """What a query writes to, in words, if each of its batches leaves files."""
    if "toTable" in sink.calls:
        return "the table"
    if sink.format in _FILES:
        return f"the {sink.format} {'table' if sink.format in ('delta', 'iceberg', 'hudi') else 'folder'}"
    each = sink.calls.get("foreachBatch")
    for function in module.function_of(each.argument(0, "func"), each.spot) if each is not None else ():
        for one in module.frames.batch_calls(function):
            before = chain(one.call)
            given = before.get("format")
            form = module.string(given.argument(0, "source"), given.spot).lower() if given is not None else one.call.name
            if one.kind == "save" and (form in _FILES or one.call.name in _TABLES or "writeTo" in before):
                return "the table" if one.call.name in _TABLES or "writeTo" in before else f"the {form} target"
            if one.kind == "merge":
                return "the table"
    return ""
