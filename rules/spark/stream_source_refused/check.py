"""Sources that Spark refuses to read. Tried on Spark 4.3, but for the Kafka source, whose checks are those of its KafkaSourceProvider."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import spark

# Files whose columns nobody knows before they are read.
_FILES = ("json", "csv", "parquet", "orc")
_INFERS = "streaming.schemaInference"


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select("spark", ("reader",), ("python",)):
        if block.open or not block.trait("loads"):
            continue
        why = _why(job, block, context)
        if why:
            yield context.finding(f"the query fails to start: {why}", block)


def _why(job: Job, block: Block, context: Context) -> str:
    form = block.trait("format")
    if form == "jdbc":
        return "the JDBC source cannot be read as a stream (a connector for the database's log can, such as Debezium)"
    if form == "kafka":
        named = [spark.option(job, block, key) for key in ("kafka.bootstrap.servers", "bootstrap.servers")]
        topics = [spark.option(job, block, key) for key in ("subscribe", "subscribePattern", "assign")]
        return "the Kafka source needs kafka.bootstrap.servers" if not any(named) and any(topics) else ""
    if (
        form in _FILES
        and not block.trait("schema")
        and _INFERS not in context.module.text.text
        and not job.anywhere("spark", f"spark.sql.{_INFERS}")
    ):
        return f"a stream of {form} files needs a schema: give it with schema(…)"
    return ""
