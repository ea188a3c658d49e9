"""Command line of the catalogue tools; see the package."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

from shoal.catalogue import Option, load
from tools.catalogue import beam, flink, flink_operator, flink_tables, kafka, librdkafka, pyflink, python_clients, spark

_ROOT = Path(__file__).parents[2]
_DATA = _ROOT / "src" / "shoal" / "catalogue" / "data"
_BUILDERS: dict[str, Callable[[Path], dict[str, str]]] = {
    "flink": flink.build,
    "flink-table": flink_tables.build,
    "flink-operator": flink_operator.build,
    "kafka": kafka.build,
    "spark": spark.build,
    "beam": beam.build,
    "librdkafka": librdkafka.build,
    "pyflink": pyflink.build,
    "python-clients": python_clients.build,
}


def main(arguments: list[str] | None = None) -> int:
    """Exit status: 0, or 1 when a comparison found a difference."""
    parser = argparse.ArgumentParser(prog="python -m tools.catalogue", description=sys.modules["tools.catalogue"].__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    build = commands.add_parser("build", help="download the artefacts and write the tables")
    build.add_argument("tables", nargs="*", metavar="TABLE", help=f"one of {', '.join(_BUILDERS)}; all when none is named")
    build.add_argument("--cache", type=Path, default=Path.home() / ".cache" / "shoal-catalogue", help="where downloads are kept")
    build.add_argument("--out", type=Path, default=_DATA, help="where the tables go")
    diff = commands.add_parser("diff", help="what changed between two versions")
    diff.add_argument("table")
    diff.add_argument("older")
    diff.add_argument("newer")
    compare = commands.add_parser("compare", help="the keys of a version against the first column of a TSV file")
    compare.add_argument("table")
    compare.add_argument("version")
    compare.add_argument("file", type=Path)
    options = parser.parse_args(arguments)
    if options.command == "build":
        for name in options.tables or _BUILDERS:
            for table, text in _BUILDERS[name](options.cache).items():
                (options.out / f"{table}.tsv").write_text(text, encoding="utf-8")
                print(f"{table}: {text.count(chr(10)) - 1} lines, {len(text.encode()) // 1024} KiB")
        return 0
    if options.command == "diff":
        for line in differences(options.table, options.older, options.newer):
            print(line)
        return 0
    return _compare(options.table, options.version, options.file)


def differences(table: str, older: str, newer: str) -> list[str]:
    """One line per key that the move from older to newer touches, sorted by key."""
    catalogue = load(table)
    lines = []
    read = {key for version in (older, newer) for primary in catalogue.keys(version) for key in _names(catalogue.option(primary, version))}
    for key in sorted(read):
        before, after = catalogue.option(key, older), catalogue.option(key, newer)
        if before is None and after is not None:
            lines.append(f"+ {key}\t{after.type}\t{after.default or ''}")
        elif before is not None and after is None:
            lines.append(f"- {key}")
        elif before is not None and after is not None:
            if before.key == key != after.key:
                lines.append(f"> {key}\t{after.key}")
            elif before.key != key == after.key and before.key in catalogue.keys(newer):
                lines.append(f"+ {key}\t{after.type}\t{after.default or ''}")
            for what, old, new in (
                ("type", before.type, after.type),
                ("default", before.default, after.default),
                ("values", before.values, after.values),
            ):
                if old != new and before.key in (key, *(alias.key for alias in after.aliases)):
                    lines.append(f"~ {key}\t{what}: {_shown(old)} -> {_shown(new)}")
    return lines


def _names(option: Option | None) -> set[str]:
    return {option.key, *(alias.key for alias in option.aliases)} if option else set()


def _shown(value: str | tuple[str, ...] | None) -> str:
    return "none" if value is None else "|".join(value) if isinstance(value, tuple) else value or '""'


def _compare(table: str, version: str, file: Path) -> int:
    catalogue = load(table)
    theirs = {line.split("\t")[0] for line in file.read_text(encoding="utf-8").split("\n")[1:] if line}
    ours = set(catalogue.keys(version))
    for key in sorted(ours - theirs):
        print(f"ours\t{key}")
    missing = [key for key in sorted(theirs - ours) if not catalogue.known(key, version)]
    for key in missing:
        print(f"theirs\t{key}")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
