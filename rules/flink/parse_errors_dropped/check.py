"""Tables that skip what they cannot read."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select("flink", ("table",)):
        if block.trait("source") == "" and block.trait("sink") == "true":
            continue
        for setting in job.of(block):
            if setting.key.endswith("ignore-parse-errors") and setting.known and setting.text.strip().lower() == "true":
                yield context.finding("records that do not parse vanish: no count, no log line, no dead-letter table", setting)
