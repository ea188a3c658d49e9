"""A function for a stream's rows that no row comes to. Tried on Spark 4.3: both orders, with files and the console."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding


def check(job: Job, context: Context) -> Iterator[Finding]:
    module, seen = context.module, set()
    for sink in module.frames.sinks():
        order = list(sink.calls)
        for name in ("foreachBatch", "foreach"):
            given, later = sink.calls.get(name), sink.calls.get("format")
            if given is None or later is None or order.index(name) > order.index("format") or id(given.node) in seen:
                continue
            if given.spot.on_some_paths(sink.writer.spot) or later.spot.on_some_paths(sink.writer.spot):
                continue
            seen.add(id(given.node))
            where = f"the {sink.format} sink" if sink.format else "the format's sink"
            message = f"this is never called: format() comes behind it and takes its place, so that the rows go to {where}"
            yield context.finding(
                message, module.call_place(given), [(module.call_place(later), "takes its place")], covers=[module.covers(given)]
            )
