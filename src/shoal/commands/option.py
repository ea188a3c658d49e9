"""`shoal option KEY`: what an option is, what became of it from version to version, and where the project sets it."""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterable
from typing import Any

from shoal import catalogue
from shoal.catalogue import Catalogue, Change, Option
from shoal.cli import CLEAN, FINDINGS, PROBLEMS, UsageError
from shoal.commands import common
from shoal.facts import Block, Setting
from shoal.host import Outcome, Request, Texts, check
from shoal.job import numbers
from shoal.report.layout import relative, visible
from shoal.rulebook import Rule, Rulebook, detail_of
from shoal.text import Lines

# What people call an engine, and the tables that are meant.
_ENGINES = {
    "kafka": ("kafka-consumer", "kafka-producer", "kafka-admin", "kafka-streams", "kafka-connect", "kafka-broker"),
    "confluent-kafka": ("librdkafka",),
}
# Asked in this order where no engine is named; tables of single connectors and formats come last.
_ORDER = (
    "flink",
    "spark",
    "kafka-consumer",
    "kafka-producer",
    "kafka-admin",
    "kafka-streams",
    "kafka-connect",
    "kafka-broker",
    "beam",
    "librdkafka",
    "kafka-python",
    "aiokafka",
)
_SETTINGS_OF = {"librdkafka": "kafka", "kafka-python": "kafka", "aiokafka": "kafka", "flink-operator": "flink", "delta": "spark"}


def run(arguments: argparse.Namespace) -> int:
    key = arguments.key.strip()
    tables = _tables(arguments.engine)
    if arguments.version and not re.fullmatch(r"v?\d+([._]\d+)*", arguments.version):
        raise UsageError(f"{arguments.version!r} is no version; say 1.20, or 3.5.1")
    found = [(table, option) for table in tables if (option := table.option(key)) is not None]
    exact = [(table, option) for table, option in found if not option.prefix]
    found = exact or found
    # Options that only families know say next to nothing twenty times over.
    near = {} if found else {table.engine: near for table in tables if ":" not in table.engine and (near := table.nearest(key))}
    places, problems = _places(arguments, key, found) if found else ([], False)
    described = [_described(table, option, key, arguments.version) for table, option in found]
    if arguments.format == "json":
        document = {"version": 1, "key": key, "options": described, "nearest": near, "set": places}
        sys.stdout.write(json.dumps(document, indent=2, ensure_ascii=False) + "\n")
    else:
        sys.stdout.write(_text(key, _merged(described), near, places))
    return PROBLEMS if problems else CLEAN if found else FINDINGS


def _tables(engine: str | None) -> list[Catalogue]:
    if engine:
        try:
            return [catalogue.load(name) for name in _ENGINES.get(engine, (engine,))]
        except catalogue.UnknownEngine:
            known = sorted({name for name in catalogue.engines() if ":" not in name} | set(_ENGINES))
            raise UsageError(
                f"no engine is called {engine!r} (there are {', '.join(known)}, and flink-table:CONNECTOR, flink-cdc:sink-TYPE, spark-source:FORMAT)"
            ) from None
    parts = [name for name in catalogue.engines() if name.startswith(("flink-table:", "flink-cdc:", "spark-source:"))]
    return [catalogue.load(name) for name in (*_ORDER, *parts)]


def _described(table: Catalogue, newest: Option, key: str, version: str | None) -> dict[str, Any]:
    """One engine's option as plain data: as of `version`, or the newest version that has it."""
    option = table.option(key, version) if version else newest
    shown = option or newest
    return {
        "engine": table.engine,
        "option": shown.key,
        "in_version": None if version is None else option is not None,
        "asked_version": version,
        "versions": [table.versions[0], table.versions[-1]],
        "type": shown.type,
        "default": shown.default,
        "values": list(shown.values),
        "spellings": [one for one in table.spellings(key) if one != shown.key],
        "deprecated_spellings": [alias.key for alias in shown.aliases if alias.deprecated and alias.key != shown.key],
        "since": shown.since,
        "deprecated": shown.deprecated,
        "removed": shown.removed,
        "scope": shown.scope,
        "family": table.reason(key) if shown.prefix else None,
        "history": [change._asdict() for change in _life(table, shown.key, key)],
    }


def _life(table: Catalogue, *keys: str) -> list[Change]:
    """What happened to the option under all the names it was asked by, oldest first, each thing once."""
    changes = dict.fromkeys(change for key in keys for change in table.history(key))
    order = {version: number for number, version in enumerate(table.versions)}
    renamed = {(change.version, change.after) for change in changes if change.what == "renamed"}
    kept = [change for change in changes if change.what != "added" or (change.version, change.after) not in renamed]
    return sorted(kept, key=lambda change: order.get(change.version, 0))


def _merged(options: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Tables that say the same of a key (consumer, producer, admin) in one."""
    kept: list[dict[str, Any]] = []
    for option in options:
        same = next((one for one in kept if all(one[name] == option[name] for name in option if name not in ("engine", "engines"))), None)
        if same is None:
            kept.append({**option, "engines": [option["engine"]]})
        else:
            same["engines"].append(option["engine"])
    return kept


def facts_of(where: common.Project, paths: Iterable[str], jobs: int = 0, cache: bool = True) -> Outcome:
    """Everything that is read below the paths, and no rule run over it."""
    reading = Rule(
        "read-only", "info", "low", "job", ("flink", "spark", "kafka", "beam"), (), "suppression", False, True, (), "", "", detail_of("", {"kind": "none"})
    )  # fmt: skip
    rulebook = Rulebook([reading], where.rulebook.digest + " facts")
    settings = where.settings._replace(select=("all",), ignore=(), overrides=())
    return check(Request(tuple(paths), where.root, settings, rulebook, None, jobs, cache, context=False))


def _places(arguments: argparse.Namespace, key: str, found: list[tuple[Catalogue, Option]]) -> tuple[list[dict[str, Any]], bool]:
    """Where the project sets the option, under any of its names."""
    where = common.project(arguments, tuple(arguments.paths))
    if where.problems:
        common.complain(where.problems, where.prefix)
        return [], True
    names: dict[str, set[str]] = {}
    for table, option in found:
        stem = table.engine.partition(":")[0]
        engine = _SETTINGS_OF.get(stem, "flink" if stem == "flink-table" else "spark" if stem == "spark-source" else stem)
        engine = "kafka" if engine.startswith("kafka-") and engine != "kafka-connect" else engine
        names.setdefault(engine, set()).update({key, option.key, *table.spellings(key)})
        if stem in ("kafka-python", "aiokafka"):
            names[engine].add(key.replace("_", "."))
    outcome = facts_of(where, arguments.paths or ["."], arguments.jobs, not arguments.no_cache)
    texts = Texts(Request((), where.root, where.settings, where.rulebook))
    places: dict[tuple[str, int], dict[str, Any]] = {}
    for path, result in outcome.results.items():
        blocks = {fact.id: fact for fact in result.facts if isinstance(fact, Block)}
        matching = [fact for fact in result.facts if isinstance(fact, Setting) and fact.key in names.get(fact.engine, ())]
        lines = Lines(texts[path]) if matching else None
        for setting in matching:
            assert lines is not None
            block = blocks.get(setting.block)
            places[path, setting.value_span.start] = {
                "path": relative(path, where.prefix),
                "line": lines.line(setting.key_span.start),
                "key": setting.key,
                "value": setting.text.strip(),
                "known": setting.known,
                "engine": setting.engine,
                "role": block.role if block else "",
                "name": block.name if block else "",
            }
    common.complain(outcome.problems, where.prefix)
    return [places[at] for at in sorted(places)], bool(outcome.problems)


def _text(key: str, options: list[dict[str, Any]], near: dict[str, list[str]], places: list[dict[str, Any]]) -> str:
    if not options:
        said = f"no engine has an option {visible(key)}\n"
        return said + "".join(f"  {engine}: did you mean {' or '.join(keys)}?\n" for engine, keys in near.items())
    parts = ["\n".join(_paragraph(key, option)) for option in options]
    if places:
        rows = [f"  {visible(one['path'])}:{one['line']}  {_assignment(key, one)}" for one in places]
        parts.append("set here\n" + "\n".join(rows))
    return "\n\n".join(parts) + "\n"


def _assignment(key: str, place: dict[str, Any]) -> str:
    value = visible(place["value"])
    value = value if len(value) <= 80 else value[:77] + "..."
    known = "" if place["known"] else " (not known here)"
    name = f"{visible(place['key'])} = " if place["key"] != key else ""
    return f"{name}{value}{known}  ({' '.join(word for word in (place['engine'], place['role'], visible(place['name'])) if word)})"


def _paragraph(key: str, option: dict[str, Any]) -> list[str]:
    first, last = option["versions"]
    lines = [f"{option['option']}  {', '.join(option['engines'])} {first} to {last}"]
    rows: list[tuple[str, str]] = []
    if option["option"] != key and not option["family"]:
        rows.append(("asked as", f"{visible(key)}, {'a deprecated' if key in option['deprecated_spellings'] else 'another'} name of it"))
    if strange := _beyond(option):
        rows.append(("version", strange))
    elif option["in_version"] is False:
        rows.append(("version", f"{option['asked_version']} does not have it; what follows is of the newest version that does"))
    rows.append(("type", option["type"] or "not known"))
    if option["values"]:
        rows.append(("values", ", ".join(option["values"])))
    if not option["family"]:
        rows.append(("default", "none" if option["default"] is None else option["default"] or "empty"))
    if option["scope"]:
        rows.append(("scope", option["scope"]))
    if option["family"]:
        rows.append(("family", option["family"]))
    others = [f"{one} (deprecated)" if one in option["deprecated_spellings"] else one for one in option["spellings"] if one != key]
    if others:
        rows.append(("also as", ", ".join(others)))
    rows += [("since", option["since"])] if option["since"] else []
    rows += [("deprecated", f"since {option['deprecated']}")] if option["deprecated"] else []
    rows += [("removed", f"in {option['removed']}")] if option["removed"] else []
    rows += [("history" if not number else "", _event(change)) for number, change in enumerate(option["history"])]
    return lines + [f"  {title:<10}  {text}" for title, text in rows]


def _beyond(option: dict[str, Any]) -> str:
    """What to say of a version that is older or newer than all that are known; empty for others."""
    version, (first, last) = option["asked_version"], option["versions"]
    if version and numbers(version) < numbers(first):
        return f"{version} is older than those known here; what follows is of {first}"
    if version and numbers(version)[: len(numbers(last))] > numbers(last):
        return f"{version} is newer than those known here; what follows is of {last}"
    return ""


def _event(change: dict[str, Any]) -> str:
    before, after = change["before"], change["after"]
    what = {
        "added": f"added as {after}",
        "removed": "removed",
        "renamed": f"renamed from {before} to {after}",
        "deprecated": "deprecated",
        "type": f"type {before or 'unknown'} becomes {after or 'unknown'}",
        "default": f"default {_default(before)} becomes {_default(after)}",
        "values": f"values {before or 'any'} become {after or 'any'}",
    }[change["what"]]
    return f"{change['version']:<5} {what}"


def _default(text: str | None) -> str:
    return "none" if text is None else text or "empty"
