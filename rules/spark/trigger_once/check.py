"""`trigger(once=True)`, deprecated since 3.4 for `availableNow`."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Edit, Finding, Fix
from shoal.templates import spark


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Not on Spark before 3.3, which has no other."""
    for block in job.select("spark", ("writer",)):
        found = job.get(block, "trigger.once")
        version = job.version("spark", block)
        oldest = version or job.version("spark-kafka", block)  # the source runs on the Spark that it was released with
        if found is None or spark.text(found) != "true" or (oldest and not oldest.at_least("3.3")):
            continue
        message = "all that has come in since the last run is one batch, whatever maxOffsetsPerTrigger says: use availableNow=True (deprecated since Spark 3.4)"
        safety = "safe" if version else "unsafe"  # on an unknown version the other trigger may not exist
        fix = Fix("write availableNow=True", safety, (Edit(found.path, found.key_span, "availableNow"),))
        yield context.finding(message, found, fixes=[fix] if found.key_span.end - found.key_span.start == len("once") else [])
