"""`topic` and `topic-pattern` of Kafka tables."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import tables


def check(job: Job, context: Context) -> Iterator[Finding]:
    for table in tables.tables(job, "kafka"):
        topic, pattern = tables.option(job, table, "topic"), tables.option(job, table, "topic-pattern")
        if topic and pattern:
            yield context.finding(
                "the statement is refused: a table has a topic or a topic-pattern, not both", pattern, [(topic, "the topic")]
            )
        elif not topic and not pattern and not table.open and job.written(table, "connector"):
            yield context.finding("the statement is refused: the table has neither a topic nor a topic-pattern", table)
