"""librdkafka's properties, as the library itself prints them (the wheel of `confluent-kafka` carries it)."""

from __future__ import annotations

import ctypes
import re
import sys
import tempfile
from pathlib import Path

from tools.catalogue import fetch, pins
from tools.catalogue.state import State, render

_TYPES = {"integer": "int", "float": "double", "boolean": "boolean", "string": "string", "enum value": "enum", "CSV flags": "list<string>"}
_SCOPES = {"C": "consumer", "P": "producer", "*": "client"}


def build(cache: Path) -> dict[str, str]:
    """Table name to stored text."""
    snapshots = []
    for version in pins.CONFLUENT_KAFKA:
        wheel = fetch.pip(cache, f"confluent-kafka=={version}", platform=pins.MANYLINUX, python="3.11")
        (library,) = [path for path in fetch.unpack(wheel, (".so.1",)) if path.name.startswith("librdkafka")]
        # A fresh process for each library: two of them in one would mix their symbols.
        text = fetch.run([sys.executable, "-m", "tools.catalogue.librdkafka", str(library)], Path(__file__).parents[2])
        snapshots.append((pins.minor(version), parse(text)))
    return {"librdkafka": render("librdkafka", snapshots)}


def parse(text: str) -> dict[str, State]:
    """Options by name, from the table that the library prints."""
    found: dict[str, State] = {}
    for line in text.split("\n"):
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)]
        if len(cells) < 5 or not re.fullmatch(r"[a-z0-9_.]+", cells[0]):
            continue
        key, side, range_, default = cells[0], cells[1], cells[2], cells[3]
        note = cells[-1]
        primary = re.match(r"Alias for `([a-z0-9_.]+)`", note)
        kind = re.search(r"\*Type: ([^*]+)\*", note)
        type_ = _TYPES.get(kind[1].strip(), "string") if kind else "string"
        values = tuple(part.strip() for part in range_.split(",")) if type_ in ("enum", "list<string>") and range_ else ()
        flags = "d" if "**DEPRECATED**" in note else ""
        if primary:
            target = found.get(primary[1])
            if target:
                found[primary[1]] = target._replace(aliases=(*target.aliases, (key, False)))
            continue
        state = State(key, type_, default or None, values, (), flags, _SCOPES.get(side, "client"))
        # The topic section repeats some global properties for old callers; the global one speaks for both.
        found.setdefault(key, state)
    return found


def show(path: str) -> None:
    """Prints what the library at path says of itself."""
    library, system = ctypes.CDLL(path), ctypes.CDLL(None)
    system.fopen.restype = ctypes.c_void_p
    with tempfile.NamedTemporaryFile() as file:
        stream = ctypes.c_void_p(system.fopen(file.name.encode(), b"w"))
        library.rd_kafka_conf_properties_show(stream)
        system.fclose(stream)
        print(Path(file.name).read_text(encoding="utf-8"))


if __name__ == "__main__":
    show(sys.argv[1])
