"""`delete.enabled` or upserts of a JDBC sink, against where it takes its primary key from."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates.common import text, verbatim
from shoal.templates.kafka import JDBC_SINKS


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select("kafka-connect", ("connector",)):
        prefix = JDBC_SINKS.get(verbatim(job.get(block, "connector.class")))
        if prefix is None or block.open:
            continue
        mode = f"{prefix}.mode"
        found = job.get(block, mode)
        if (found is not None and not found.known) or (found is None and mode != "pk.mode"):
            continue  # Debezium's default is not the same in every release
        key = text(found) or "none"
        shown = f"{mode} is {key}" if found is not None else f"there is no {mode}, which is none by default"
        related = [(found, "where the key comes from")] if found is not None else []
        deletes, inserts = job.get(block, "delete.enabled"), job.get(block, "insert.mode")
        if deletes is not None and text(deletes) == "true" and key != "record_key":
            message = f"the connector refuses the configuration: deletes need {mode}=record_key, and {shown}"
            yield context.finding(message, deletes, related)
        elif inserts is not None and text(inserts) == "upsert" and key == "none" and mode == "pk.mode":
            message = f"the task fails at its first record: upserts need a key, and {shown}"
            yield context.finding(message, inserts, related)
