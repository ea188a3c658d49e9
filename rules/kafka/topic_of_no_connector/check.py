"""A consumer of `shop.public.orders`, where the connector that captures public.orders has another `topic.prefix`."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block, Setting
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding, Place
from shoal.records import NamedTuple
from shoal.templates import tables

_TABLES = ("table.include.list", "table.whitelist", "collection.include.list", "collection.whitelist")
# What gives topics other names.
_RENAMES = ("topic.naming.strategy", "topic.delimiter", "topic.creation.prefix")
_PLAIN = pattern(r"[\w$-]+(?:\.[\w$-]+)+")


class _Captured(NamedTuple):
    """A table, and under which prefix its changes are written."""

    table: str
    prefix: Setting


def check(job: Job, context: Context) -> Iterator[Finding]:
    captured = _captured(job)
    prefixes = {one.prefix.text.strip() for one in captured}
    said: set[tuple[str, str]] = set()
    for topic, at in _read(job) if captured else ():
        found = [one for one in captured if topic.endswith(f".{one.table}")]
        under = {topic.removesuffix(f".{one.table}") for one in found}
        # a database may stand between the prefix and the table, a mirror's name before it
        if not found or (at.path, topic) in said or any(_fits(one, prefix) for one in under for prefix in prefixes):
            continue
        said.add((at.path, topic))
        one = found[0]
        message = f"no connector writes {topic}: the changes of {one.table} go to {one.prefix.text.strip()}.…, as topic.prefix says; whoever subscribes here waits for ever"
        yield context.finding(message, at, [(one.prefix, "the connector's prefix")])


def _fits(under: str, prefix: str) -> bool:
    return under == prefix or under.startswith(f"{prefix}.") or under.endswith(f".{prefix}") or f".{prefix}." in under


def _captured(job: Job) -> list[_Captured]:
    """The tables of all Debezium connectors; none where one of these may name its topics otherwise."""
    found: list[_Captured] = []
    for block in job.select("kafka-connect", ("connector",)):
        kind = job.get(block, "connector.class")
        if kind is not None and kind.known and (not kind.text.strip().startswith("io.debezium.connector.") or "Sink" in kind.text):
            continue
        prefix = job.written(block, "topic.prefix")
        if kind is None or not kind.known or block.open or prefix is None or not prefix.known or _renames(job, block):
            return []
        listed = next((given for key in _TABLES if (given := job.written(block, key)) is not None and given.known), None)
        for table in listed.text.split(",") if listed is not None else ():
            name = table.strip().replace("\\.", ".").replace("[.]", ".")
            if _PLAIN.fullmatch(name):
                found.append(_Captured(name, prefix))
    return found


def _renames(job: Job, block: Block) -> bool:
    keys = {setting.key for setting in job.of(block)}
    routed = any(
        setting.key.startswith("transforms.") and setting.key.endswith(".type") and (not setting.known or "Rout" in setting.text)
        for setting in job.of(block)
    )
    return routed or any(key in keys for key in _RENAMES)


def _read(job: Job) -> Iterator[tuple[str, Setting | Place]]:
    """The topics that programs read, one by one, as far as they are known."""
    for usage in job.usages("topic-read"):
        yield usage.detail.strip(), usage.place
    for table in tables.tables(job, "kafka", "upsert-kafka"):
        topic = tables.option(job, table, "topic")
        if topic is not None and topic.known and table.trait("sink") != "true":
            yield topic.text.strip(), topic
    for reader in job.select("spark", ("reader",)):
        topics = job.get(reader, "subscribe")
        if reader.trait("format") == "kafka" and topics is not None and topics.known:
            for name in topics.text.split(","):
                yield name.strip(), topics
