"""`maxOffsetsPerTrigger` and the like on `spark.read` of Kafka, which has no trigger: Spark logs that it ignores them."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding

_LIMITS = frozenset({"maxoffsetspertrigger", "minoffsetspertrigger", "maxtriggerdelay"})


def check(job: Job, context: Context) -> Iterator[Finding]:
    # options that a stream is read with as well are of use there
    shared = {setting.key_place().span for block in job.select("spark", ("reader",)) for setting in job.of(block)}
    for block in job.select("spark", ("batch-reader",)):
        for setting in job.of(block):
            if block.trait("format") == "kafka" and setting.key.lower() in _LIMITS and setting.key_place().span not in shared:
                message = f"{setting.key} has no effect: a batch read has no trigger, and takes all there is (endingOffsets or endingTimestamp bound it)"
                yield context.finding(message, setting.key_place(label=setting.key), covers=[setting])
