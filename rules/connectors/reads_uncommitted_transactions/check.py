"""A topic with an exactly-once writer and a reader without `isolation.level=read_committed`."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Setting
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import tables


def check(job: Job, context: Context) -> Iterator[Finding]:
    written: dict[str, Setting] = {}
    for block, setting, value in tables.sinks(job):
        topic = tables.option(job, block, "topic")
        if value == "exactly-once" and topic is not None and topic.known:
            written[topic.text.strip()] = setting
    sources = [block for block in job.select("flink", ("source",)) if block.trait("connector") == "kafka"]
    for table in (*tables.tables(job, "kafka", "upsert-kafka"), *sources):
        topic = tables.option(job, table, "topic")
        writer = written.get(topic.text.strip()) if topic is not None and topic.known else None
        reads = table.role == "source" or table.trait("source") == "true" or tables.option(job, table, tables.STARTUP) is not None
        if topic is None or writer is None or not reads or table.open or tables.option(job, table, "properties.isolation.level"):
            continue
        message = f"records of aborted transactions are read as if they counted: {topic.text.strip()} is written exactly once, and read without isolation.level=read_committed"
        yield context.finding(message, topic, [(writer, "writes it in transactions")])
    for reader in job.select("spark", ("reader",)):
        topics = job.get(reader, "subscribe")
        if (
            reader.open
            or reader.trait("format") != "kafka"
            or topics is None
            or not topics.known
            or job.get(reader, "kafka.isolation.level")
        ):
            continue
        for name in topics.text.split(","):
            if name.strip() in written:
                message = f"records of aborted transactions are read as if they counted: {name.strip()} is written exactly once, and read without kafka.isolation.level=read_committed"
                yield context.finding(message, topics, [(written[name.strip()], "writes it in transactions")])
