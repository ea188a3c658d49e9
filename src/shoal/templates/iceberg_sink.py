"""The Iceberg sink of Kafka Connect: Apache's, and Tabular's, which it was made of (now at Databricks)."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.facts import Block, Setting
from shoal.job import Job
from shoal.templates.common import text, verbatim

APACHE = "org.apache.iceberg.connect.IcebergSinkConnector"
_CLASSES = (APACHE, "io.tabular.iceberg.connect.IcebergSinkConnector")


def sinks(job: Job) -> Iterator[tuple[Block, Setting]]:
    """Connectors whose settings are all here, and what names their class."""
    for block in job.select("kafka-connect", ("connector",)):
        named = job.get(block, "connector.class")
        if named is not None and verbatim(named) in _CLASSES and not block.open:
            yield block, named


def is_dynamic(job: Job, block: Block) -> bool | None:
    """Whether records name their tables; None where that is not known."""
    found = job.get(block, "iceberg.tables.dynamic-enabled")
    return None if found is not None and not found.known else text(found) == "true"
