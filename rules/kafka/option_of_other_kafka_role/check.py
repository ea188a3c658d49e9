"""Options of a consumer among those of a producer, and the reverse: the client logs a line and ignores them."""

from __future__ import annotations

from collections.abc import Iterator

from shoal import catalogue
from shoal.context import Context
from shoal.facts import Block
from shoal.job import Job
from shoal.model import Finding
from shoal.templates.options import Reader, judged, reader_of

_OTHER = {"consumer": "producer", "producer": "consumer"}


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Silent about one text that serves both roles, and about tables of Flink, which are read and written by the same definition."""
    places: dict[tuple[str, int], set[str]] = {}
    for block in job.select("kafka"):
        for setting in job.of(block):
            places.setdefault((setting.path, setting.key_span.start), set()).add(block.role)
    for block in job.select("kafka", tuple(_OTHER)):
        reader = reader_of(job, block)
        if reader is None or reader.name not in ("the Kafka client", "librdkafka"):
            continue
        if block.trait("framework"):
            continue  # what stands above consumer and producer is for those that are made unasked as well
        parent = job.parent(block)
        if block.trait("host") == "flink" and (parent is None or parent.role not in ("source", "sink")):
            continue
        for setting in judged(job, block):
            if _is_of(reader, block, setting.key) and places[setting.path, setting.key_span.start] == {block.role}:
                other = _OTHER[block.role]
                message = f"{setting.key} has no effect here: it is an option of a {other}, and this configures a {block.role}"
                yield context.finding(message, setting.key_place(label=setting.key), covers=[setting])


def _is_of(reader: Reader, block: Block, key: str) -> bool:
    """Whether the other role has the option and this one has not, in any version."""
    if reader.name == "librdkafka":
        option = reader.option(key)
        return option is not None and option.scope == _OTHER[block.role]
    own, other = (catalogue.load(f"kafka-{role}").option(key) for role in (block.role, _OTHER[block.role]))
    return own is None and other is not None and not other.prefix
