"""What the catalogue knows about a setting, by the block it stands in and the version its job runs on."""

from __future__ import annotations

from collections.abc import Iterator

from shoal import catalogue
from shoal.catalogue import Catalogue, Option
from shoal.facts import Block, Setting
from shoal.job import Job, Version
from shoal.records import NamedTuple
from shoal.templates import cdc

_CLIENTS = ("consumer", "producer", "admin")
_KAFKA_PAGES = {
    "kafka-consumer": "consumerconfigs",
    "kafka-producer": "producerconfigs",
    "kafka-admin": "adminclientconfigs",
    "kafka-broker": "brokerconfigs",
    "kafka-streams": "streamsconfigs",
}
_VERSIONED = frozenset({"flink", "spark", "beam"})


class Described(NamedTuple):
    """An option, the table it is from, and the version that was asked for, None when it is not known."""

    option: Option
    table: Catalogue
    version: Version | None


def tables(block: Block) -> Iterator[Catalogue]:
    """The catalogues that may describe the options of a block, the likeliest first."""
    for name in _names(block):
        try:
            yield catalogue.load(name)
        except catalogue.UnknownEngine:
            continue


def _names(block: Block) -> tuple[str, ...]:
    if block.engine == "flink" and block.role == "table":
        return (f"flink-table:{block.trait('connector')}", "flink-table:any")
    if block.engine == "flink" and block.role == "catalog":
        return (f"flink-table:catalog-{block.trait('type')}",)
    if block.engine == "flink-cdc":
        return (cdc.catalogue_of(block),)
    if block.engine == "spark" and block.role in ("reader", "writer"):
        return (f"spark-source:{block.trait('format')}", "spark")
    if block.engine == "kafka":
        if block.role == "broker":
            return ("kafka-broker",)
        if block.role == "streams":
            return ("kafka-streams", *(f"kafka-{client}" for client in _CLIENTS))
        library = block.trait("library") or "java"
        if library == "confluent-kafka":
            return ("librdkafka",)
        roles = (block.role,) if block.role in _CLIENTS else _CLIENTS
        if library in ("kafka-python", "aiokafka"):
            return tuple(f"{library}:{role}" for role in roles)
        return tuple(f"kafka-{role}" for role in roles)
    return (block.engine,)


def version(job: Job | None, block: Block) -> Version | None:
    """The version of the engine whose options a block holds."""
    if job is None or block.engine not in _VERSIONED or block.role in ("table", "catalog", "reader", "writer"):
        return None
    return job.version(block.engine, block)


def describe(setting: Setting, block: Block, job: Job | None) -> Described | None:
    """What is known about a setting; None for a key that no table has."""
    known = version(job, block)
    for table in tables(block):
        for asked in (known, None):  # of an option that its version lacks, what another version knows
            option = table.option(setting.key, asked.minor if asked else None)
            if option is not None:
                return Described(option, table, asked)
    return None


def values(option: Option) -> tuple[str, ...]:
    """The values an option can have, where they can be counted."""
    if option.type == "boolean":
        return ("true", "false")
    return tuple(value for value in option.values if "<" not in value)


def connectors() -> tuple[str, ...]:
    """The table connectors that the catalogue describes."""
    parts = (name.partition(":")[2] for name in catalogue.engines() if name.startswith("flink-table:"))
    return tuple(part for part in parts if part != "any" and not part.startswith(("format-", "catalog-")))


def page(described: Described, block: Block) -> str:
    """Where the engine's own documentation speaks of an option; empty when that is not known."""
    key, known = described.option.key, described.version
    if block.engine == "kafka" and block.trait("library") in ("", "java") and "<" not in key:
        part = _KAFKA_PAGES.get(described.table.engine)
        return f"https://kafka.apache.org/documentation/#{part}_{key}" if part else ""
    if described.table.engine == "flink":
        release = f"release-{known.minor}" if known and len(known.parts) > 1 else "stable"
        anchor = key.replace(".", "-").lower() if "<" not in key else ""
        return f"https://nightlies.apache.org/flink/flink-docs-{release}/docs/deployment/config/" + (f"#{anchor}" if anchor else "")
    if described.table.engine.startswith("flink-table:"):
        return "https://nightlies.apache.org/flink/flink-docs-stable/docs/connectors/table/overview/"
    if block.engine == "spark" and described.table.engine == "spark":
        return f"https://spark.apache.org/docs/{known.text if known and len(known.parts) > 2 else 'latest'}/configuration.html"
    if block.engine == "spark":
        return "https://spark.apache.org/docs/latest/structured-streaming-programming-guide.html"
    if block.engine == "beam":
        return "https://beam.apache.org/documentation/runners/flink/"
    return ""
