"""Columns beside `value` that Spark's Kafka sink does not look at. Its KafkaWriter picks its columns by their names, and passes over all others."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.batch_writes import save_format
from shoal.python.columns import projected
from shoal.python.frame import Frame
from shoal.python.tree import Call

# What it reads, and what a Kafka source gives with these and an older sink leaves out.
_READ = frozenset({"key", "value", "topic", "partition", "headers", "timestamp", "timestamptype", "offset"})


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Silent where there is a key: what stands beside it is left over."""
    module = context.module
    written: list[tuple[tuple[Frame, ...], Call]] = []
    for sink in module.frames.sinks():
        start = next((sink.calls[name] for name in ("start", "toTable") if name in sink.calls), None)
        if start is not None and sink.format == "kafka":
            written.append((sink.frames, start))
    written += [(module.frames.written(call), call) for call in module.named("save") if save_format(module, call) == "kafka"]
    seen = set()
    for frames, call in written:
        found = [_unread(module, frame) for frame in frames]
        if not found or not all(found) or id(call.node) in seen:
            continue
        seen.add(id(call.node))
        step, unread = found[0] or (frames[0], [])
        shown = ", ".join(f"`{name}`" for name in unread)
        message = f"the records have no key: of the columns beside `value` the Kafka sink looks for one named `key`, and {shown} goes nowhere (give it that name, AS key)"
        related = [(module.call_place(call), "written here")]
        # of several the key may be none: they are in the value as well, or were forgotten there
        sure = "low" if len(unread) > 1 else ""
        yield context.finding(message, module.frames.place(step), related, confidence=sure, covers=[module.covers(call)])


def _unread(module: Any, frame: Frame) -> tuple[Frame, list[str]] | None:
    """The columns of a frame with a value and without a key that no sink reads, with the step that names them."""
    named = projected(module, frame)
    if named is None:
        return None
    at, columns = named
    lower = [name.lower() for name in columns]
    unread = [name for name in columns if name.lower() not in _READ]
    return (at, unread) if unread and "value" in lower and "key" not in lower and not ({"partition", "headers"} & set(lower)) else None
