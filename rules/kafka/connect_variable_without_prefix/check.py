"""Variables for converters that Debezium's Connect image does not read, unless all connectors of the project bring converters of their own."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding


def check(job: Job, context: Context) -> Iterator[Finding]:
    connectors = job.select("kafka-connect", ("connector",))
    for oddity in job.oddities:
        if oddity.kind != "variable-without-prefix":
            continue
        own = f"{oddity.subject.partition('_')[0].lower()}.converter"
        if connectors and all(job.written(block, own) is not None for block in connectors):
            continue  # a connector's own converter gets nothing of the worker's options
        message = f"Debezium's image does not read {oddity.subject}, but CONNECT_{oddity.subject}: {oddity.detail}"
        yield context.finding(message, oddity)
