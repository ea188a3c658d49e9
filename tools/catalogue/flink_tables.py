"""Options of Flink's table connectors, formats and catalogues, as their factories tell them.

Rows are stored under the factory's identifier: `kafka/topic`, `format-json/fail-on-missing-field`, `catalog-jdbc/base-url`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tools.catalogue import fetch, flink, pins
from tools.catalogue.state import State, filled, render

_INTERNAL = frozenset({"python-input-format", "python-arrow-source", "arrow", "legacy-csv"})
_SOURCE_WORDS = ("scan.", "source.", "lookup.", "streaming-source.")


def build(cache: Path) -> dict[str, str]:
    """Table name to stored text."""
    needed = fetch.maven(cache, pins.FLINK_TABLES_NEED)
    snapshots = []
    for version in pins.FLINK:
        minor = pins.minor(version)
        engine = fetch.unpack(fetch.pip(cache, f"apache-flink-libraries=={version}"), (".jar",))
        wanted = [f"{name}:{found}" for name, releases in pins.FLINK_TABLES.items() if (found := pins.up_to(releases, minor))]
        snapshots.append((minor, extract([*engine, *fetch.maven(cache, wanted)], needed)))
    return {"flink-table": render("flink-table", filled(snapshots))}


def extract(jars: Sequence[Path], needed: Sequence[Path]) -> dict[str, State]:
    """Options by "part/key" of all table factories in the jars; needed completes the class path."""
    path = ["-only", ",".join(map(str, jars)), *map(str, jars), *map(str, needed)]
    static = flink.parse_rows(fetch.java("FlinkOptions.java", path))
    live = {(row.jar, row.key) for row in static if not row.deprecated}
    dead = {(row.jar, row.key) for row in static if row.deprecated} - live
    found: dict[str, State] = {}
    for line in fetch.java("FlinkOptions.java", ["-factories", *path]).split("\n"):
        if line:
            kinds, name, required, rest = line.split("\t", 3)
            (row,) = flink.parse_rows(rest)
            part = _part(kinds.split("|"), name)
            if part:
                state = _state(row, kinds, required, deprecated=(row.jar, row.key) in dead)
                state = state._replace(key=f"{part}/{state.key}")
                found[state.key] = _merged(found.get(state.key), state)
    for row in static:
        if row.field.startswith("org.apache.flink.table.factories.FactoryUtil.") and _is_common(row.key):
            found[f"any/{row.key}"] = State(f"any/{row.key}", row.type, row.default, row.values, row.aliases, "", "table")
    return found


def _part(kinds: Sequence[str], name: str) -> str | None:
    if name in _INTERNAL:
        return None
    if "DynamicTableSourceFactory" in kinds or "DynamicTableSinkFactory" in kinds:
        return name
    if any(kind.endswith("FormatFactory") for kind in kinds):
        return "format-" + name
    if "CatalogFactory" in kinds:
        return "catalog-" + name
    return None


def _state(row: flink.Row, kinds: str, required: str, *, deprecated: bool) -> State:
    source, sink = "DynamicTableSourceFactory" in kinds, "DynamicTableSinkFactory" in kinds
    if source and (not sink or row.key.startswith(_SOURCE_WORDS)):
        scope = "source"
    elif sink and (not source or row.key.startswith("sink.")):
        scope = "sink"
    else:
        scope = "table"
    key = row.key.replace("#", "<field>")
    return State(key, row.type, row.default, row.values, row.aliases, ("d" if deprecated else "") + required, scope)


def _merged(one: State | None, two: State) -> State:
    """One identifier, two factories (csv for rows and for files): required only where both say so."""
    if one is None or ("r" in one.flags) == ("r" in two.flags):
        return two
    return two._replace(flags=two.flags.replace("r", ""))


def _is_common(key: str) -> bool:
    return key in ("connector", "property-version") or key.startswith("scan.watermark.")
