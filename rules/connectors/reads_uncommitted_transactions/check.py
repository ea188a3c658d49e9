"""A topic with an exactly-once writer and a reader without `isolation.level=read_committed`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Setting
from shoal.job import Job
from shoal.jobs.boundaries import common
from shoal.model import Finding, Place
from shoal.templates import tables


def check(job: Job, context: Context) -> Iterator[Finding]:
    written = _Written(job)
    sources = [block for block in job.select("flink", ("source",)) if block.trait("connector") == "kafka"]
    for table in (*tables.tables(job, "kafka", "upsert-kafka"), *sources):
        topic = tables.option(job, table, "topic")
        writer = written.for_reader(topic.text.strip(), table.place.path) if topic is not None and topic.known else None
        reads = table.role == "source" or table.trait("source") == "true" or tables.option(job, table, tables.STARTUP) is not None
        if topic is None or writer is None or not reads or table.open or tables.option(job, table, "properties.isolation.level"):
            continue
        yield _finding(context, topic.text.strip(), topic, writer, "isolation.level=read_committed")
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
            if writer := written.for_reader(name.strip(), reader.place.path):
                yield _finding(context, name.strip(), topics, writer, "kafka.isolation.level=read_committed")


class _Written:
    """Who writes which topic in transactions, and who without, both by topic."""

    def __init__(self, job: Job) -> None:
        self._exactly_once: dict[str, list[Setting]] = {}
        self._others: dict[str, list[str]] = {}
        said = {block.id: (setting, value) for block, setting, value in tables.sinks(job)}
        for block in job.select("flink", ("table", "sink")):
            topic = tables.option(job, block, "topic")
            if topic is None or not topic.known:
                continue
            setting, value = said.get(block.id, (None, ""))
            if setting is not None and value == "exactly-once":
                self._exactly_once.setdefault(topic.text.strip(), []).append(setting)
            elif block.role == "sink":
                self._others.setdefault(topic.text.strip(), []).append(block.place.path)

    def for_reader(self, topic: str, path: str) -> Setting | None:
        """Where it is said that what a file reads is written in transactions; None where a writer nearer to that file uses none."""
        found = self._exactly_once.get(topic)
        if not found:
            return None
        writer = max(found, key=lambda setting: common(setting.path, path))
        nearer = any(common(other, path) > common(writer.path, path) for other in self._others.get(topic, ()))
        return None if nearer else writer


def _clients(job: Job, context: Context, written: _Written) -> Iterator[Finding]:
    """Kafka clients in Python, and Beam's reads. librdkafka alone skips what was aborted without being asked."""
    for usage in job.usages("topic-read"):
        reader, topic = job.blocks.get(usage.block), usage.detail
        writer = written.for_reader(topic, reader.place.path) if reader is not None else None
        if reader is None or writer is None:
            continue
        level = job.get(reader, "isolation.level")
        if reader.open or level is not None or reader.trait("library") == "confluent-kafka":
            continue
        yield _finding(context, topic, usage.place, writer, 'isolation_level="read_committed"')
    for read in job.select("beam", ("transform",)):
        topics, consumers = job.get(read, "topics"), [block for block in job.children(read) if block.engine == "kafka"]
        if topics is None or not topics.known or any(block.open or job.get(block, "isolation.level") for block in consumers):
            continue
        for topic in re.split(r"[\[\]\s,;'\"]+", topics.text):
            writer = written.for_reader(topic, read.place.path)
            if consumers and writer is not None:
                yield _finding(context, topic, topics, writer, "isolation.level=read_committed")


def _finding(context: Context, topic: str, at: Setting | Place, writer: Setting, option: str) -> Finding:
    message = f"records of aborted transactions are read as if they counted: {topic} is written exactly once, and read without {option}"
    return context.finding(message, at, [(writer, "writes it in transactions")])
