"""A topic with an exactly-once writer and a reader without `isolation.level=read_committed`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Setting
from shoal.job import Job
from shoal.model import Finding, Place
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
    yield from _clients(job, context, written)
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


def _clients(job: Job, context: Context, written: dict[str, Setting]) -> Iterator[Finding]:
    """Kafka clients in Python, and Beam's reads. librdkafka alone skips what was aborted without being asked."""
    for usage in job.usages("topic-read"):
        reader, topic = job.blocks.get(usage.block), usage.detail
        if reader is None or topic not in written:
            continue
        level = job.get(reader, "isolation.level")
        if reader.open or level is not None or reader.trait("library") == "confluent-kafka":
            continue
        yield _finding(context, topic, usage.place, written[topic], 'isolation_level="read_committed"')
    for read in job.select("beam", ("transform",)):
        topics, consumers = job.get(read, "topics"), [block for block in job.children(read) if block.engine == "kafka"]
        if topics is None or not topics.known or any(block.open or job.get(block, "isolation.level") for block in consumers):
            continue
        for topic in re.split(r"[\[\]\s,;'\"]+", topics.text):
            if consumers and topic in written:
                yield _finding(context, topic, topics, written[topic], "isolation.level=read_committed")


def _finding(context: Context, topic: str, at: Setting | Place, writer: Setting, option: str) -> Finding:
    message = f"records of aborted transactions are read as if they counted: {topic} is written exactly once, and read without {option}"
    return context.finding(message, at, [(writer, "writes it in transactions")])
