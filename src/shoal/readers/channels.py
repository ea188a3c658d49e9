"""Channels of MicroProfile Reactive Messaging, as Quarkus and others run them on SmallRye's Kafka connector: each is a consumer or a producer.

What is no attribute of the connector's own goes to Kafka's client as it stands. Below a channel's attributes count those of the connector
(`mp.messaging.connector.smallrye-kafka.*`), below these `kafka.*` (KafkaConnector and ConfigHelper of 4.10.1 and 4.28.0). What stands under a profile
counts in that profile alone; a program that is packaged runs in `prod`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from shoal.lazy import pattern
from shoal.model import Span
from shoal.readers.kafka_names import CHANNEL_ATTRIBUTES, CHANNEL_FAMILIES
from shoal.records import NamedTuple

if TYPE_CHECKING:
    from shoal.facts import Block, Value
    from shoal.readers import Reading

_MARK = "mp.messaging."
_CONNECTOR = "smallrye-kafka"
_CHANNEL = pattern(r'mp\.messaging\.(incoming|outgoing)\.("[^"]+"|[^."]+)\.(.+)')
_ALL = "kafka."
_SHARED = (f"{_MARK}connector.{_CONNECTOR}.", _ALL)
_STREAMS = ("kafka-streams.", "quarkus.kafka-streams.")
_PROFILE = pattern(r"%([\w,\"-]+)\.(.+)")
_TESTS = pattern(r"(?:^|[/\\])src[/\\](?:\w*[tT]est|it)[/\\]")
_ROLES = {"incoming": "consumer", "outgoing": "producer"}


class Entry(NamedTuple):
    """An entry of a configuration; `key` is whole, from its root to its last part."""

    key: str
    value: str | Value
    key_span: Span
    value_span: Span
    comment: str = ""


def counts(key: str) -> bool:
    """Whether a key is one of Reactive Messaging's, or of Quarkus' extension for Kafka Streams, under a profile or not."""
    return (key.partition(".")[2] if key.startswith("%") else key).startswith((_MARK, *_STREAMS))


def read(entries: Iterable[Entry], form: str, out: Reading) -> None:
    """A block for each channel of Kafka's, and one for Kafka Streams. Variables, and what other files say of it, may add to it. What only tests are told counts for nothing."""
    if _TESTS.search(out.path):
        return
    counted = _counted(entries)
    shared: dict[str, Entry] = {}
    for prefix in reversed(_SHARED):  # the weaker first
        told = {key.removeprefix(prefix): entry for key, entry in counted.items() if key.startswith(prefix)}
        # `kafka.topics` and the like are most likely the program's own
        shared |= {key: entry for key, entry in told.items() if prefix != _ALL or key not in CHANNEL_ATTRIBUTES}
    _read_streams(counted, form, out)
    channels: dict[tuple[str, str], dict[str, Entry]] = {}
    for key, entry in counted.items():
        if found := _CHANNEL.fullmatch(key):
            channels.setdefault((found[1], found[2].strip('"')), {})[found[3]] = entry
    for (direction, name), own in channels.items():
        if not _of_kafka(own):
            continue
        first = next(iter(own.values()))
        block = out.block("kafka", _ROLES[direction], form, first.key_span, name, traits=(("framework", "smallrye"),), open=True)
        add({**shared, **own}, block, out)


def _read_streams(counted: dict[str, Entry], form: str, out: Reading) -> None:
    """What Quarkus hands on to Kafka Streams: its own two options, which Kafka Streams has as well, and all under `kafka-streams.`."""
    handed_on, own = _STREAMS
    told = {key.removeprefix(handed_on): entry for key, entry in counted.items() if key.startswith(handed_on)}
    for name in ("application-id", "bootstrap-servers"):
        if entry := counted.get(own + name):
            told[name.replace("-", ".")] = entry
    add_streams(told, "quarkus", form, out)


def _counted(entries: Iterable[Entry]) -> dict[str, Entry]:
    """What counts in a packaged program: of equal keys the last one, and what stands under `%prod` before all."""
    everywhere: dict[str, Entry] = {}
    packaged: dict[str, Entry] = {}
    for entry in entries:
        if found := _PROFILE.fullmatch(entry.key):
            if "prod" in found[1].strip('"').split(","):
                packaged[found[2]] = entry
        else:
            everywhere[entry.key] = entry
    return {**everywhere, **packaged}


def _of_kafka(own: dict[str, Entry]) -> bool:
    """Whether a channel is Kafka's: it says so, or leaves it to the one connector that is there and has what only Kafka's understands."""
    if (connector := own.get("connector")) is not None:
        return connector.value == _CONNECTOR
    return any(key.endswith((".serializer", ".deserializer")) or key in ("group.id", "auto.offset.reset", "acks") for key in own) or any(
        key.startswith(CHANNEL_FAMILIES) for key in own
    )


def add_streams(told: dict[str, Entry], framework: str, form: str, out: Reading) -> None:
    """What a framework hands on to Kafka Streams, where it is anything."""
    if told:
        first = next(iter(told.values()))
        add(told, out.block("kafka", "streams", form, first.key_span, traits=(("framework", framework),), open=True), out)


def add(told: dict[str, Entry], block: Block, out: Reading) -> None:
    """Entries by what the connector or the client calls them, as settings of a block."""
    for key, entry in told.items():
        out.setting(block, key, entry.value, _part(entry, key), entry.value_span, entry.comment)


def _part(entry: Entry, key: str) -> Span:
    """Where the end of an entry's key stands that is the connector's or the client's own name for it."""
    start, end = entry.key_span
    return Span(end - len(key), end) if end - start == len(entry.key) and entry.key.endswith(key) else entry.key_span
