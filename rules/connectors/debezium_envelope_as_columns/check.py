"""Columns of the envelope of Debezium's messages, of which Flink's format hands on what stands in it."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select("flink", ("table",)):
        if block.trait("envelope") != "debezium":
            continue
        for key in ("format", "value.format"):
            found = job.get(block, key)
            if found is not None and found.known and found.text.strip().lower() in ("debezium-json", "debezium-avro-confluent"):
                message = (
                    f"before, after and op are NULL in every row: {found.text.strip()} takes the envelope off, and looks for these columns in the row that stood in it; "
                    "declare the row's own columns, or read the envelope with the plain format"
                )
                yield context.finding(message, found)
