"""Client options that KafkaSourceProvider refuses."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import spark

_READER = {
    "kafka.auto.offset.reset": "use startingOffsets",
    "kafka.key.deserializer": "cast the column key of the DataFrame",
    "kafka.value.deserializer": "cast the column value of the DataFrame",
    "kafka.enable.auto.commit": "offsets are kept in the checkpoint, none are committed",
    "kafka.interceptor.classes": "the source reads raw bytes",
}
_WRITER = {
    "kafka.key.serializer": "cast the column key to string or binary",
    "kafka.value.serializer": "cast the column value to string or binary",
}


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select("spark", ("reader", "reader-options", "writer", "batch-reader", "batch-writer")):
        for key, instead in (_READER if "reader" in block.role else _WRITER).items():
            found = spark.option(job, block, key) if block.trait("format", "kafka") == "kafka" else None
            if found is not None:
                yield context.finding(f"the query fails to start: Spark refuses {found.key}; {instead}", found)
