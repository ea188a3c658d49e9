"""Variables that Debezium's Connect image does not read; those for converters, unless all connectors of the project bring converters of their own."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Oddity
from shoal.job import Job
from shoal.model import Finding


def check(job: Job, context: Context) -> Iterator[Finding]:
    connectors = job.select("kafka-connect", ("connector",))
    of_worker: dict[tuple[str, str], list[Oddity]] = {}
    for oddity in job.oddities:
        if oddity.kind != "variable-without-prefix":
            continue
        if "_CONVERTER_" not in oddity.subject:
            of_worker.setdefault((oddity.block, oddity.detail), []).append(oddity)
            continue
        own = f"{oddity.subject.partition('_')[0].lower()}.converter"
        if connectors and all(job.written(block, own) is not None for block in connectors):
            continue  # a connector's own converter gets nothing of the worker's options
        message = f"Debezium's image does not read {oddity.subject}, but CONNECT_{oddity.subject}: {oddity.detail}"
        yield context.finding(message, oddity)
    if of_worker:
        from shoal.readers.kafka_container import AS_BEFORE  # a YAML parser comes with it
    for (_, detail), (first, *others) in of_worker.items():
        message = f"Debezium's image does not read {first.subject}, but CONNECT_{first.subject}: {detail}"
        related = [(other, "nor this") for other in others[:6]]
        yield context.finding(message, first, related, severity="info" if detail == AS_BEFORE else "", confidence="low")
