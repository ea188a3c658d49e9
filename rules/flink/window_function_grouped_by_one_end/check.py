"""GROUP BY over TUMBLE, HOP, CUMULATE or SESSION with one of `window_start` and `window_end`: `WindowUtil.groupingContainsWindowStartEnd` asks for both."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import tables


def check(job: Job, context: Context) -> Iterator[Finding]:
    if tables.is_batch(job):
        return
    told = set()  # a statement that a program makes with several names is one
    for usage in job.usages("one-end-of-window"):
        at = (usage.place.path, usage.place.span.start)
        if at in told:
            continue
        told.add(at)
        has, lacks = ("window_start", "window_end") if usage.detail == "WINDOW_START" else ("window_end", "window_start")
        message = (
            f"this is no window to Flink: {has} stands in GROUP BY and {lacks} does not, so it is an aggregation without a window, which gives a new result "
            f"with each record, waits for no watermark and never lets go of its state; group by both"
        )
        yield context.finding(message, usage.place)
