"""A streaming writer to files or a table that is started without `trigger(…)`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.frame import Sink
from shoal.python.tree import chain

_FILES = frozenset(["delta", "iceberg", "hudi", "org.apache.hudi", "parquet", "json", "csv", "orc", "avro", "text"])
_TABLES = frozenset(["toTable", "table", "saveAsTable", "insertInto"])


def check(job: Job, context: Context) -> Iterator[Finding]:
    """A writer that is started elsewhere may be given its trigger there."""
    module = context.module
    seen = set()
    for sink in module.frames.sinks():
        node = sink.writer.node
        if "trigger" in sink.calls or id(node) in seen or not {"start", "toTable"} & set(sink.calls):
            continue
        what = _target(module, sink)
        if not what:
            continue
        seen.add(id(node))
        message = f"the next batch begins as soon as the last one is done: a commit and small files in {what} every few hundred milliseconds while records trickle in; trigger(processingTime=…) bounds how often"
        covers = [module.covers(call) for call in sink.calls.values()]
        yield context.finding(message, module.place(node.attr, sink.writer.spot), covers=covers)


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
