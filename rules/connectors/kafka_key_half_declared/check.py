"""`key.format` and `key.fields` belong together; keys and the round-robin partitioner do not."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import tables


def check(job: Job, context: Context) -> Iterator[Finding]:
    for table in tables.tables(job, "kafka"):
        form, fields = tables.option(job, table, "key.format"), tables.option(job, table, "key.fields")
        partitioner = tables.option(job, table, "sink.partitioner")
        if form and not fields and not table.open:
            yield context.finding("the statement is refused: a key.format needs key.fields to say which columns make the key", form)
        elif fields and not form and not table.open:
            yield context.finding("the statement is refused: key.fields need a key.format to be written in", fields)
        if fields and partitioner and tables.text(partitioner) == "round-robin":
            message = "the statement is refused: records with key.fields go to the partition of their key, they cannot go round-robin"
            yield context.finding(message, partitioner, [(fields, "the key")])
