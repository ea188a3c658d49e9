"""Facts that follow from other facts, so that a rule over one client's options holds wherever they are written.

Kafka client options stand behind `properties.` in Flink tables and builders, behind `kafka.` in Spark readers and writers, and behind
`consumer.` or `consumer.override.` and the like in Kafka Connect: each such block yields Kafka blocks of its own, with the prefix taken off
and the same spans.
"""

from __future__ import annotations

from shoal.facts import Block, Fact, Setting
from shoal.model import Span

# Engine, role of its block, prefix, and the role of the client; the last two are empty where the block decides.
_PREFIXES = (
    ("flink", "", "properties.", ""),
    ("flink-cdc", "", "properties.", ""),
    ("spark", "", "kafka.", ""),
    ("kafka-connect", "connector", "consumer.override.", "consumer"),
    ("kafka-connect", "connector", "producer.override.", "producer"),
    ("kafka-connect", "connector", "admin.override.", "admin"),
    ("kafka-mirror", "", "consumer.", "consumer"),
    ("kafka-mirror", "", "producer.", "producer"),
    ("kafka-connect", "worker", "consumer.", "consumer"),
    ("kafka-connect", "worker", "producer.", "producer"),
    ("kafka-connect", "worker", "admin.", "admin"),
)
_CONNECTORS = frozenset({"kafka", "upsert-kafka", "fluss-kafka", ""})
_SIDES = {
    **dict.fromkeys(("reader", "batch-reader", "source"), "consumer"),
    **dict.fromkeys(("writer", "batch-writer", "sink"), "producer"),
}


def derive(facts: list[Fact]) -> list[Fact]:
    """The facts with the derived ones appended."""
    blocks = {fact.id: fact for fact in facts if isinstance(fact, Block)}
    groups: dict[tuple[str, str], list[Setting]] = {}
    for fact in facts:
        if isinstance(fact, Setting) and (block := blocks.get(fact.block)):
            for engine, owner, prefix, client in _PREFIXES:
                if block.engine == engine and owner in ("", block.role) and fact.key.startswith(prefix) and _carries_kafka(block):
                    span = fact.key_span
                    bare = Span(span.start + len(prefix), span.end) if span.end - span.start == len(fact.key) else span
                    name = f"{block.id}/{client or 'kafka'}"
                    groups.setdefault((block.id, client), []).append(
                        fact._replace(block=name, engine="kafka", key=fact.key[len(prefix) :], key_span=bare)
                    )
    derived: list[Fact] = []
    for (block_id, client), settings in groups.items():
        block = blocks[block_id]
        traits = (
            ("library", "java"),
            ("host", block.engine),
            *((name, value) for name, value in block.traits if name in ("connector", "sink", "source")),
        )
        # Connect sets brokers, the group and converters by itself: what is absent there proves nothing
        opened = block.open or bool(client)
        made = Block(
            f"{block_id}/{client or 'kafka'}",
            "kafka",
            client or _role(block),
            block.form,
            block.name,
            block.place,
            block.id,
            traits,
            opened,
        )
        derived += [made, *settings]
    return facts + derived


def _carries_kafka(block: Block) -> bool:
    if block.engine in ("kafka-connect", "kafka-mirror"):
        return block.role != "maker"
    if block.engine == "spark":
        return block.trait("format", "kafka") == "kafka" and block.role in ("reader", "writer", "batch-reader", "batch-writer")
    if block.engine == "flink-cdc":
        return block.trait("connector") == "kafka"
    return block.role in ("table", "source", "sink") and block.trait("connector") in _CONNECTORS


def _role(block: Block) -> str:
    if block.role in _SIDES:
        return _SIDES[block.role]
    sink, source = block.trait("sink") == "true", block.trait("source") == "true"
    return "producer" if sink and not source else "consumer" if source and not sink else "client"
