"""`failOnDataLoss=false` on a streaming Kafka source."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import spark


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select("spark", ("reader", "reader-options")):
        found = spark.option(job, block, "failOnDataLoss")
        if found is not None and spark.text(found) == "false" and block.trait("format", "kafka") == "kafka":
            message = "records that Kafka deleted before they were read are skipped with no more than a log line, and so is a topic that was made anew"
            # Options that another module is given may be for a batch.
            yield context.finding(message, found, confidence="medium" if block.role == "reader-options" else "")
