"""`frame.withWatermark(…)` as a statement: frames are never changed, and the new one is thrown away."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.frames import MICRO_BATCH

_MAKES = (
    *(
        "select",
        "selectExpr",
        "withColumn",
        "withColumns",
        "withColumnRenamed",
        "filter",
        "where",
        "drop",
        "withWatermark",
        "dropDuplicates",
    ),
    *("drop_duplicates", "dropDuplicatesWithinWatermark", "join", "union", "unionByName", "dropna", "fillna", "repartition", "coalesce"),
)


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    if module.notebook:
        return  # the last line of a cell shows what it gives
    for call in module.named(*_MAKES):
        if call.use != "dropped":
            continue
        ways = module.frames.receivers(call)
        if ways and all(frame.followed and (frame.streams or MICRO_BATCH in frame.roots()) for frame in ways):
            message = f"{call.name}() changes nothing by itself: it gives back a new frame, which is dropped here; assign it"
            yield context.finding(message, module.call_place(call), covers=[module.covers(call)])
