"""Flink's configuration options, from the jars of the `apache-flink-libraries` wheel and of the plug-ins."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from tools.catalogue import fetch, pins
from tools.catalogue.state import State, render

# What Flink read before there was an option that FlinkOptions.java sees, and since when: by its name alone (`ConfigConstants`; seen in the
# runtime of 1.16.3 and 1.18.1), by the scripts in bin (1.20.1 and 2.2.0), or declared in an object of the planner's Scala (1.13.6 to 1.19.2).
_ONCE_UNSEEN = {
    "env.java.home": "1.13",
    "table.exec.local-hash-agg.adaptive.distinct-value-rate-threshold": "1.17",
    "table.exec.local-hash-agg.adaptive.enabled": "1.17",
    "table.exec.local-hash-agg.adaptive.sampling-threshold": "1.17",
    "table.optimizer.incremental-agg-enabled": "1.13",
    "table.optimizer.reuse-optimize-block-with-digest-enabled": "1.13",
    "table.optimizer.union-all-as-breakpoint-enabled": "1.13",
    "taskmanager.log.path": "1.13",
    "yarn.container-start-command-template": "1.13",
}
# Static options that are no configuration keys: fields of generated plans, SQL hints, DDL options without a connector of their own.
_NOT_CONFIGURATION = (
    "org.apache.flink.streaming.api.graph.StreamConfig",
    "org.apache.flink.table.api.config.LookupJoinHintOptions",
    "org.apache.flink.table.api.config.MLPredictRuntimeConfigOptions",
    "org.apache.flink.table.api.config.VectorSearchRuntimeConfigOptions",
    "org.apache.flink.table.planner.hint.",
    "org.apache.flink.table.utils.python.",
    "org.apache.flink.table.runtime.arrow.",
    "org.apache.flink.table.module.",
    "org.apache.flink.table.secret.",
    "org.apache.flink.table.sinks.",
    "org.apache.flink.table.catalog.GenericInMemory",
    "org.apache.flink.table.connector.",
    "org.apache.flink.table.factories.",
    "org.apache.flink.table.filesystem.",
    "org.apache.flink.table.formats.",
    "org.apache.flink.connector.datagen.",
    "org.apache.flink.connector.print.",
    "org.apache.flink.connector.file.table.",
    "org.apache.flink.connector.base.table.",
    "org.apache.flink.formats.",
    "org.apache.flink.connectors.hive.",
    "org.apache.flink.hive.",
)
# Where a class declares the last part of a key alone, and (before 1.16) no annotation says what goes before it.
_PREFIX_BY_CLASS = {
    "org.apache.flink.metrics.": "metrics.reporter.<name>.",
    "org.apache.flink.externalresource.gpu.": "external-resource.<resource_name>.param.",
    "org.apache.flink.table.gateway.rest.util.SqlGatewayRestOptions": "sql-gateway.endpoint.rest.",
    "org.apache.flink.table.catalog.FileCatalogStoreFactoryOptions": "table.catalog-store.file.",
}
# Read by name and by more than one class, so that the declared type is too narrow: the Prometheus and JMX reporters take port ranges.
_TYPES = {"metrics.reporter.<name>.port": "string"}
_BARE_KEYS = frozenset({"scheduler-mode", "cleanup-strategy", "restart-strategy", "high-availability", "external-resources"})

# The first word or words of a key decide who reads it; the longest match wins.
_SCOPES = {
    "$internal.": "internal",
    "internal.": "internal",
    "__": "internal",
    "client.": "client",
    "execution.target": "client",
    "execution.attached": "client",
    "execution.shutdown-on-attached-exit": "client",
    "execution.job-listeners": "client",
    "execution.submit-failed-job-on-application-error": "client",
    "sql-client.": "client",
    "sql-gateway.": "client",
    "workflow-scheduler.": "client",
    "user.artifacts.": "client",
    "table.": "table",
    "execution.": "job",
    "pipeline.": "job",
    "parallelism.default": "job",
    "restart-strategy": "job",
    "state.": "job",
    "dstl.": "job",
    "python.": "job",
    "optimizer.": "job",
    "compiler.": "job",
    "task.": "job",
    "source.": "source",
    "sink.": "sink",
    "collect-sink.": "internal",
    "streaming-source": "source",
    "job.autoscaler.": "autoscaler",
    "kubernetes.operator.": "operator",
    "metrics.latency.": "job",
}


class Row(NamedTuple):
    """One line of FlinkOptions.java."""

    key: str
    field: str
    jar: str
    type: str
    default: str | None
    values: tuple[str, ...]
    aliases: tuple[tuple[str, bool], ...]
    flags: str
    suffix: str

    @property
    def deprecated(self) -> bool:
        return "d" in self.flags or "c" in self.flags


def build(cache: Path) -> dict[str, str]:
    """Table name to stored text."""
    snapshots = []
    fields: dict[str, str] = {}
    for version in pins.FLINK:
        jars = fetch.unpack(fetch.pip(cache, f"apache-flink-libraries=={version}"), (".jar",))
        plugins = [
            f"org.apache.flink:{name}:{found}"
            for name, releases in pins.FLINK_PLUGINS.items()
            if (found := pins.up_to({pins.minor(release): release for release in releases}, pins.minor(version)))
        ]
        rows = parse_rows(fetch.java("FlinkOptions.java", [*map(str, jars), *map(str, fetch.maven(cache, plugins))]))
        snapshots.append((pins.minor(version), configuration(rows)))
        fields |= constants(rows)
    for key, since in _ONCE_UNSEEN.items():
        state = next(found[key] for _, found in snapshots if key in found)
        for version, found in snapshots:
            if pins.ordinal(version) >= pins.ordinal(since):
                found.setdefault(key, state)
    return {"flink": render("flink", snapshots), "flink-fields": "".join(f"{field}\t{key}\n" for field, key in sorted(fields.items()))}


def constants(rows: list[Row]) -> dict[str, str]:
    """The keys of options by the constants with which Java programs name them: `Class.FIELD`."""
    known = configuration(rows)
    return {name: row.key for row in rows if row.key in known and "Options." in (name := ".".join(row.field.split(".")[-2:]))}


def parse_rows(text: str) -> list[Row]:
    """Rows from the standard output of FlinkOptions.java."""
    rows = []
    for line in text.split("\n"):
        if line:
            key, field, jar, type_, default, values, aliases, flags, suffix = line.split("\t")
            pairs = tuple((alias.removeprefix("-"), not alias.startswith("-")) for alias in aliases.split("|") if alias)
            rows.append(
                Row(
                    key,
                    field,
                    jar,
                    type_,
                    default[1:] if default else None,
                    tuple(values.split("|")) if values else (),
                    pairs,
                    flags,
                    suffix,
                )
            )
    return rows


def configuration(rows: Iterable[Row]) -> dict[str, State]:
    """The options that a Flink configuration (file, -D, SET, Configuration object) may hold."""
    chosen: dict[str, Row] = {}
    for row in rows:
        full = _full_key(row)
        if full is None:
            continue
        other = chosen.get(full)
        row = row._replace(key=full)
        if other is None:
            chosen[full] = row
        elif row.suffix and other.suffix and row.field.rpartition(".")[0] != other.field.rpartition(".")[0]:
            # Two reporters with a parameter of one name: keep what they agree on.
            if row.type != other.type or row.default != other.default:
                chosen[full] = other._replace(type=other.type if row.type == other.type else "string", default=None)
        elif _rank(row) < _rank(other):
            chosen[full] = row
    live_aliases = {alias for row in chosen.values() if not row.deprecated for alias, _ in row.aliases if alias != row.key}
    return {key: _state(row) for key, row in chosen.items() if not (row.deprecated and key in live_aliases)}


def _full_key(row: Row) -> str | None:
    if row.key.startswith(("hidden.", "__")):
        return None
    plain_config = row.key.startswith(("sql-gateway.", "workflow-scheduler.", "table."))
    if row.field.startswith(_NOT_CONFIGURATION) and not plain_config:
        return None
    if row.suffix and row.suffix != "?" and not row.field.startswith("org.apache.flink.metrics."):
        return f"{row.suffix}.{row.key}"
    for owner, prefix in _PREFIX_BY_CLASS.items():
        if row.field.startswith(owner) and not row.key.startswith(prefix):
            return prefix + row.key
    if row.field.startswith("org.apache.flink.configuration.MetricOptions.REPORTER_") and not row.key.startswith("metrics."):
        return "metrics.reporter.<name>." + row.key
    if "." not in row.key and row.key not in _BARE_KEYS:
        return None
    return row.key.replace("%s", "<name>")


def _rank(row: Row) -> tuple[bool, bool, bool]:
    """Lower is better: a live field of an options class before deprecated twins and old constants."""
    return (row.deprecated, "ConfigConstants" in row.field, not row.aliases)


def _state(row: Row) -> State:
    flags = ("d" if row.deprecated else "") + ("h" if "h" in row.flags else "") + ("p" if row.key.endswith(">") else "")
    values = () if row.type == "enum" and len(row.values) > 60 else row.values
    return State(row.key, _TYPES.get(row.key, row.type), row.default, values, row.aliases, flags, scope_of(row.key))


def scope_of(key: str) -> str:
    """Who reads the key: "job", "table", "client", "source", "sink", "operator", "autoscaler", "internal", else "cluster"."""
    best = max((prefix for prefix in _SCOPES if key.startswith(prefix)), key=len, default="")
    return _SCOPES.get(best, "cluster")
