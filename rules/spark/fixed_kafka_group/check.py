"""`kafka.group.id` on a streaming source."""

from __future__ import annotations

import re
from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import kafka, spark

# A name that says so: `unique_group_id`.
_UNIQUE = re.compile(r"(?i)uniq|uuid|random")


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select("spark", ("reader",)):
        found = spark.option(job, block, "kafka.group.id") if block.trait("format", "kafka") == "kafka" else None
        if found is not None and (found.known or not (kafka.RANDOM.search(found.text) or _UNIQUE.search(found.text))):
            message = (
                "two queries with this group, or a restart before the old one has left, share the topic's partitions and each reads a part only: "
                "Spark gives every query a group of its own unless kafka.group.id is set"
            )
            yield context.finding(message, found)
