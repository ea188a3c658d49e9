"""`outputMode("complete")` of a stream that is written to Kafka: every group there is, with every trigger."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.frame import GROUPINGS, Frame

_PICKS = ("limit", "filter", "where")


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    said: set[int] = set()
    for sink in module.frames.sinks():
        mode, form = sink.calls.get("outputMode"), sink.calls.get("format")
        if sink.mode != "complete" or sink.format != "kafka" or sink.ends or mode is None or form is None or id(mode.node) in said:
            continue
        if not any(name in sink.calls for name in ("start", "toTable")):
            continue
        grouped = next(filter(None, map(_grouped, sink.frames)), None)
        if grouped is None:
            continue
        said.add(id(mode.node))
        related = [(module.frames.place(grouped), "a row for each of these")]
        message = "each trigger sends every group there ever was to the topic once more, changed or not: ever more records a minute, and readers that add them up count each many times (update mode sends those that changed)"
        yield context.finding(message, module.call_place(mode), related, covers=[module.covers(mode)])


def _grouped(frame: Frame) -> Frame | None:
    """The grouping all of whose results a frame has; None where it has some of them."""
    for step in frame.line():
        if step.op in GROUPINGS:
            return step
        if step.op in _PICKS:
            return None
    return None
