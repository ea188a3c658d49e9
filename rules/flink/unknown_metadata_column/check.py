"""`op STRING METADATA FROM 'value.op'`: keys that the Kafka connector and its format do not list are refused when a statement uses the table."""

from __future__ import annotations

import json
from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding


def check(job: Job, context: Context) -> Iterator[Finding]:
    for oddity in job.oddities:
        if oddity.kind == "unknown-metadata":
            said = json.loads(oddity.detail)
            there = f"there is {said['names']}" if said["names"] else f"the format {said['format']} has none"
            message = (
                f"Flink refuses the table where it is used: Invalid metadata key '{oddity.subject}' in column '{said['column']}'; {there}"
            )
            yield context.finding(message, oddity)
