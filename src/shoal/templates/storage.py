"""What rules ask of Confluent's sinks for object stores and HDFS: which connectors they are, and what lays their files out."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.facts import Block
from shoal.job import Job
from shoal.lazy import pattern
from shoal.templates.common import verbatim

_SINKS = pattern(r"io\.confluent\.connect\.(?:s3|gcs|hdfs3?|azure\.\w+)\.\w+SinkConnector")
_OWN = pattern(r"io\.confluent\.connect\.(?:storage|hdfs3?)\.partitioner\.(\w+)Partitioner")
BY_TIME = ("TimeBased", "Daily", "Hourly")


def sinks(job: Job) -> Iterator[tuple[Block, str]]:
    """Each such sink, with the partitioner that lays its files out: Default, Field, TimeBased, Daily or Hourly; empty for one that is not Confluent's."""
    for block in job.select("kafka-connect", ("connector",)):
        if not _SINKS.fullmatch(verbatim(job.written(block, "connector.class"))):
            continue
        named = job.written(block, "partitioner.class")
        if named is None:
            yield block, "" if block.open else "Default"
            continue
        own = _OWN.fullmatch(verbatim(named))
        yield block, own.group(1) if own is not None and own.group(1) in ("Default", "Field", *BY_TIME) else ""
