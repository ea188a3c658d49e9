"""Options that Connect has for sinks in a source connector, and the reverse, by SinkConnectorConfig and SourceConnectorConfig of 4.1."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Setting
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.templates.common import verbatim
from shoal.templates.kafka import side_of

_QUEUE = "errors.deadletterqueue."
_TOPICS = "topic.creation."
_OF_SOURCES = ("exactly.once.support", "transaction.boundary", "transaction.boundary.interval.ms")
# What sinks are told of the table, the index or the files that they write, and sources that have no option of such a name.
_OF_SINKS = frozenset(
    {
        "auto.evolve",
        "behavior.on.malformed.documents",
        "behavior.on.null.values",
        "delete.enabled",
        "flush.size",
        "insert.mode",
        "pk.fields",
        "pk.mode",
        "primary.key.fields",
        "primary.key.mode",
        "schema.evolution",
        "topics",
        "topics.regex",
    }
)
_WRITES_NOTHING = pattern(
    r"io\.debezium\.connector\.(?!jdbc\.)\w+\.(?!\w*Sink)\w+Connector|io\.(?:confluent|aiven)\.connect\.jdbc\.JdbcSourceConnector"
)


def check(job: Job, context: Context) -> Iterator[Finding]:
    """One finding for each connector and matter, at its first option."""
    for block in job.select("kafka-connect", ("connector",)):
        made_of = job.get(block, "connector.class")
        if made_of is None:
            continue
        side, settings = side_of(verbatim(made_of)), job.of(block)
        # OpenLineage is told beside a connector's options what it reads and writes
        writing = (
            [one for one in settings if one.key in _OF_SINKS]
            if _WRITES_NOTHING.fullmatch(verbatim(made_of)) and not any(one.key.startswith("openlineage.") for one in settings)
            else []
        )
        if writing:
            message = f"{writing[0].key} has no effect: it is an option of sinks, and this connector reads a database"
            yield context.finding(message, writing[0].key_place(label=writing[0].key), [(made_of, "a source")], covers=writing)
        for options, message, severity in _misplaced(settings, side):
            first, *others = options
            related = [(made_of, f"a {side}"), *((other, "nor has this") for other in others[:4])]
            yield context.finding(message, first.key_place(label=first.key), related, severity, covers=options)


def _misplaced(settings: list[Setting], side: str) -> Iterator[tuple[list[Setting], str, str]]:
    """The options that are for the other side, what is to be said of them, and how severe it is where that is not the rule's own."""
    queue = [one for one in settings if one.key.startswith(_QUEUE)] if side == "source" else []
    topics = [one for one in settings if one.key.startswith(_TOPICS)] if side == "sink" else []
    if queue:
        message = "no record ever goes to this dead-letter queue: Connect has one for sinks alone, and what a source cannot convert is dropped, or stops its task"
        yield queue, message, ""
    if topics:
        message = f"{topics[0].key} has no effect: Connect makes topics for source connectors, and a sink reads those that are there"
        yield topics, message, "info"
    for one in settings if side == "sink" else ():
        if one.key in _OF_SOURCES:
            yield [one], f"{one.key} has no effect: Connect reads it for source connectors alone", ""
