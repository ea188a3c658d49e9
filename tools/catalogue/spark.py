"""Spark's configuration entries and data source options, from the jars of the `pyspark` distribution and the Kafka connector."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from tools.catalogue import fetch, pins
from tools.catalogue.state import State, filled, render

# String constants that look like keys but name metrics, threads, modules or internals of a run.
_NO_KEYS = (
    "spark.test",
    "spark.sql.test.",
    "spark.app.initial.",
    "spark.launcher.",
    "spark.rdd.scope",
    "spark.connect.SparkConnectService",
)
_DELTA = ("spark.databricks.delta.", "spark.databricks.io.")
# Defaults that Spark takes from the machine it runs on.
_MACHINE = {"spark.sql.warehouse.dir": "spark-warehouse", "spark.driver.host": None}
_TWO_WORDS = frozenset({"spark.master", "spark.home", "spark.remote", "spark.logConf", "spark.logLineage"})
# The Kafka connector compares in lower case; this is how its options are written. Type and side are facts of its code.
_KAFKA = {
    "assign": ("string", "source"),
    "subscribe": ("string", "source"),
    "subscribePattern": ("string", "source"),
    "startingOffsets": ("string", "source"),
    "startingOffsetsByTimestamp": ("string", "source"),
    "startingOffsetsByTimestampStrategy": ("string", "source"),
    "startingTimestamp": ("string", "source"),
    "endingOffsets": ("string", "source"),
    "endingOffsetsByTimestamp": ("string", "source"),
    "endingTimestamp": ("string", "source"),
    "failOnDataLoss": ("boolean", "source"),
    "minPartitions": ("int", "source"),
    "maxRecordsPerPartition": ("long", "source"),
    "maxOffsetsPerTrigger": ("long", "source"),
    "minOffsetsPerTrigger": ("long", "source"),
    "maxTriggerDelay": ("time", "source"),
    "fetchOffset.numRetries": ("int", "source"),
    "fetchOffset.retryIntervalMs": ("long", "source"),
    "kafkaConsumer.pollTimeoutMs": ("long", "source"),
    "groupIdPrefix": ("string", "source"),
    "includeHeaders": ("boolean", "table"),
    "topic": ("string", "sink"),
}
_SOURCES = ("file", "rate", "rate-micro-batch", "state")
_FILE = {
    "maxFilesPerTrigger": "int",
    "maxBytesPerTrigger": "bytes",
    "maxFileAge": "time",
    "maxCachedFiles": "int",
    "discardCachedInputRatio": "float",
    "latestFirst": "boolean",
    "fileNameOnly": "boolean",
    "cleanSource": "enum",
    "sourceArchiveDir": "string",
    "allowOverwrite": "boolean",
    "rowsPerSecond": "long",
    "rowsPerBatch": "long",
    "rampUpTime": "time",
    "numPartitions": "int",
    "startTimestamp": "long",
    "advanceMillisPerBatch": "int",
}


def build(cache: Path) -> dict[str, str]:
    """Table name to stored text."""
    entries, sources, delta = [], [], []
    for version in pins.SPARK:
        minor = pins.minor(version)
        jars = fetch.unpack(fetch.pip(cache, f"pyspark=={version}"), (".jar",))
        lake = pins.DELTA.get(minor, ())
        rows = extract([*jars, *_kafka_jars(cache, minor), *fetch.maven(cache, (f"io.delta:{one}" for one in lake))])
        options = configuration(rows)
        entries.append((minor, {key: state for key, state in options.items() if not key.startswith(_DELTA)}))
        sources.append((minor, source_options(rows)))
        if lake:
            found = {key: state for key, state in options.items() if key.startswith(_DELTA) and state.type}
            delta.append((pins.minor(lake[0].rpartition(":")[2]), found))
    return {
        "spark": render("spark", entries),
        "spark-source": render("spark-source", filled(sources)),
        "delta": render("delta", delta),
    }


def _kafka_jars(cache: Path, minor: str) -> list[Path]:
    scala, version = (pins.up_to(pins.SPARK_KAFKA, minor) or "").split(":")
    return fetch.maven(cache, [f"org.apache.spark:spark-sql-kafka-0-10_{scala}:{version}", "org.apache.kafka:kafka-clients:3.9.2"])


def extract(jars: Iterable[Path]) -> list[list[str]]:
    """The rows of SparkOptions.java."""
    return [line.split("\t") for line in fetch.java("SparkOptions.java", [*map(str, jars)]).split("\n") if line]


def configuration(rows: Sequence[Sequence[str]]) -> dict[str, State]:
    """Options by key. A key known only as a constant of Spark's classes has the type "" (unknown)."""
    older: dict[str, list[str]] = {}
    for row in rows:
        if row[0] == "alias":
            older.setdefault(row[1], []).append(row[2])
    deprecated = {row[1] for row in rows if row[0] == "deprecated"}
    removed = {row[1] for row in rows if row[0] == "removed"}
    found: dict[str, State] = {}
    for row in rows:
        if row[0] == "entry":
            _, key, type_, default, values, aliases, flags = row
            names = [*(alias for alias in aliases.split("|") if alias), *older.get(key, ())]
            found[key] = State(
                key,
                type_ or _guessed(default[1:]),
                _MACHINE.get(key, default[1:] if default else None),
                tuple(values.split("|")) if values else (),
                tuple((name, True) for name in dict.fromkeys(names) if name != key),
                ("d" if key in deprecated else "") + ("h" if "h" in flags else ""),
                "static" if "s" in flags else scope_of(key),
            )
    replaced = {alias for state in found.values() for alias, _ in state.aliases}
    literals = {row[1] for row in rows if row[0] == "literal" and _is_key(row[1])} | set(older)
    for key in sorted((literals | deprecated) - set(found) - replaced - removed):
        pairs = tuple((name, True) for name in older.get(key, ()))
        found[key] = State(key, "", None, (), pairs, "d" if key in deprecated else "", scope_of(key))
    return found


def _guessed(default: str) -> str:
    """The state store's options name no type, but all have a default."""
    if default in ("true", "false"):
        return "boolean"
    return "int" if default.lstrip("-").isdigit() else "double" if default.replace(".", "", 1).isdigit() else ""


def _is_key(literal: str) -> bool:
    if literal.endswith(".") or literal.startswith(_NO_KEYS):
        return False
    return literal.count(".") > 1 or literal in _TWO_WORDS


def scope_of(key: str) -> str:
    """ "streaming", "dstream", "sql" or "core"."""
    for prefix, scope in (("spark.sql.streaming.", "streaming"), ("spark.streaming.", "dstream"), ("spark.sql.", "sql")):
        if key.startswith(prefix):
            return scope
    return "sql" if key.startswith(_DELTA) else "core"  # Delta registers its own with the session, like Spark SQL


def source_options(rows: Sequence[Sequence[str]]) -> dict[str, State]:
    """Options of the data sources by "format/option"."""
    written = {key.lower(): key for key in _KAFKA}
    found: dict[str, State] = {}
    for row in rows:
        if row[0] == "source":
            _, part, option = row
            if part == "kafka":
                name = written.get(option.lower(), option)
                type_, scope = _KAFKA.get(name, ("", "source"))
            else:
                name, type_, scope = (
                    option,
                    _FILE.get(option, ""),
                    "source" if part in _SOURCES else "table",
                )
            found[f"{part}/{name}"] = State(f"{part}/{name}", type_, None, (), (), "", scope)
    return found
