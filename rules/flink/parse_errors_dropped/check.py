"""Tables and schemas that skip what they cannot read."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding

_MESSAGE = "records that do not parse vanish: no count, no log line, no dead-letter table"


def check(job: Job, context: Context) -> Iterator[Finding]:
    for oddity in job.oddities:
        if oddity.kind == "parse-errors-ignored":
            yield context.finding(_MESSAGE, oddity)
    tables = job.select("flink", ("table",))
    told = any(block.trait("source") == "true" for block in tables)
    for block in tables:
        if block.trait("source") != "true" and (told or block.trait("sink") == "true"):
            continue  # the option means nothing to a sink
        for setting in job.of(block):
            if setting.key.endswith("ignore-parse-errors") and setting.known and setting.text.strip().lower() == "true":
                yield context.finding(_MESSAGE, setting, confidence="" if told else "low")
