"""The stored tables, read from the package's data."""

from __future__ import annotations

from functools import cache
from os import listdir
from os.path import dirname, join

from shoal.catalogue.catalogue import Catalogue
from shoal.catalogue.model import UnknownEngine

_DATA = join(dirname(__file__), "data")
# Tables that make sense by part alone: one connector, one format. Those of Flink CDC's pipelines are from its factories' sources, release by release; 3.7 is what is to come.
_PARTS = ("flink-table", "flink-cdc", "spark-source")
_SHARED = ("kafka-python", "aiokafka")  # their parts are clients of one library: consumer, producer, admin
_OTHER = ("families", "flink-fields", "pyflink", "debezium")  # no tables of options
_FILES = ("csv", "json", "text", "parquet", "orc", "xml", "avro")


def engines() -> tuple[str, ...]:
    """The names that `load` takes, parts of shared tables ("flink-table:kafka") included."""
    found: list[str] = []
    for name in sorted(listdir(_DATA)):
        stem, _, kind = name.rpartition(".")
        if kind == "tsv" and stem not in _OTHER:
            table = _read(stem)
            parts = {line.partition("/")[0] for line in table.split("\n")[1:] if line} if stem in (*_PARTS, *_SHARED) else set()
            found.extend(f"{stem}:{part}" for part in sorted(parts))
            if stem not in _PARTS:
                found.append(stem)
    return tuple(found)


@cache
def load(engine: str) -> Catalogue:
    """The catalogue of an engine; "table:part" takes one part of a shared table. Raises UnknownEngine."""
    stem, _, part = engine.partition(":")
    try:
        table = _read(stem)
    except FileNotFoundError:
        raise UnknownEngine(engine) from None
    if part:
        start = part + "/"
        every = table.split("\n")
        lines = [line[len(start) :] for line in every if line.startswith(start)]
        if not lines:
            raise UnknownEngine(engine)
        if stem == "spark-source" and part in _FILES:
            lines += [line[5:] for line in every if line.startswith("file/")]
        if stem == "flink-table" and not part.startswith(("format-", "catalog-")):
            lines += _shared(every, {line.partition("\t")[0] for line in lines})
        table = "\n".join([every[0], *lines])
    elif stem in _SHARED:
        table = _union(table)
    families = []
    for line in _read("families").split("\n"):
        if line and line[0] != "#":
            names, key, scope, reason = line.split("\t")
            if not {engine, stem}.isdisjoint(names.split()):
                families.append((key, scope, reason))
    return Catalogue(engine, table, tuple(families))


@cache
def flink_fields() -> dict[str, str]:
    """The keys of Flink's options by the constants that hold them: `CheckpointingOptions.CHECKPOINTS_DIRECTORY`."""
    return dict(line.split("\t", 1) for line in _read("flink-fields").splitlines())


@cache
def pyflink() -> dict[str, frozenset[str]]:
    """The names that any release of PyFlink has, by module, and by class after a colon; private ones left out."""
    lines = (line.partition("\t") for line in _read("pyflink").split("\n")[1:] if line)
    return {name: frozenset(members.split(" ")) for name, _, members in lines}


@cache
def debezium() -> dict[str, bool]:
    """Options of Debezium's source connectors in any release, as the connectors' pages name them (True), and what their sources have that is spelt much like one of these.

    Not those whose names the user makes, or that are handed on: `column.mask.with.<n>.chars`, `driver.…`, `transforms.…`.
    """
    lines = (line.partition("\t") for line in _read("debezium").splitlines()[1:])
    return {name: not note for name, _, note in lines}


def _union(table: str) -> str:
    """All parts of a shared table in one; the first part that has a key speaks for it."""
    head, *lines = table.split("\n")
    owners: dict[str, str] = {}
    kept = [head]
    for line in lines:
        part, _, rest = line.partition("/")
        if owners.setdefault(rest.partition("\t")[0], part) == part:
            kept.append(rest)
    return "\n".join(kept)


def _shared(table: list[str], keys: set[str]) -> list[str]:
    """What a Flink table connector accepts beside its own options: those of every table, and of formats under the format's name."""
    lines = [line[4:] for line in table if line.startswith("any/")]
    starts = [start for key, start in (("format", ""), ("key.format", "key."), ("value.format", "value.")) if key in keys]
    for line in table:
        if starts and line.startswith("format-"):
            part, _, rest = line[7:].partition("/")
            lines.extend(f"{start}{part}.{rest}" for start in starts)
    return lines


def _read(stem: str) -> str:
    with open(join(_DATA, stem + ".tsv"), encoding="utf-8") as file:
        return file.read()
