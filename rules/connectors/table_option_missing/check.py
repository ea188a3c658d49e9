"""Options that connectors require. Kafka's, upsert-kafka's, JDBC's and the file system's were tried on Flink 1.20.5, the others are from their documentation."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import tables

_CDC = ("hostname", "username", "password", "database-name", "table-name")
# Connector -> what it needs; of several spellings in one text, separated by blanks, any will do.
_REQUIRED = {
    "kafka": ("properties.bootstrap.servers", "value.format format"),
    "upsert-kafka": ("properties.bootstrap.servers", "topic", "key.format", "value.format"),
    "filesystem": ("path", "format"),
    "jdbc": ("url", "table-name"),
    "elasticsearch-7": ("hosts", "index"),
    "kinesis": ("stream stream.arn", "format"),
    "mysql-cdc": _CDC,
    "postgres-cdc": (*_CDC, "schema-name"),
}


def check(job: Job, context: Context) -> Iterator[Finding]:
    for table in tables.tables(job, *_REQUIRED):
        if (
            table.open
            or table.form not in tables.DECLARED
            or table.trait("like")
            or job.written(table, "connector") is None
            or any(child.trait("hint") for child in job.children(table))
        ):
            continue
        missing = [
            names.split()[0] for names in _REQUIRED[table.trait("connector")] if not any(job.written(table, name) for name in names.split())
        ]
        if missing and job.of(table):
            lacks = " and ".join(missing)
            message = f"no statement can use this table: a {table.trait('connector')} table needs {lacks}, which {'is' if len(missing) == 1 else 'are'} not set"
            yield context.finding(message, tables.head(job, table), [(table, "the table")])
