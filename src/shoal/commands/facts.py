"""`shoal facts FILE`: what is read out of a file, and from where."""

from __future__ import annotations

import argparse
import os
import sys
from typing import Any

from shoal import gate
from shoal.classify import by_content
from shoal.cli import CLEAN, PROBLEMS, UsageError
from shoal.commands import common
from shoal.derive import derive
from shoal.discover import reason
from shoal.facts import Block, Fact, Setting
from shoal.files import read_bytes
from shoal.model import Place, Source
from shoal.readers import read
from shoal.report.layout import visible
from shoal.suppress import suppressions
from shoal.text import Lines


def run(arguments: argparse.Namespace) -> int:
    named = arguments.stdin_filename or arguments.file
    if named == "-":
        raise UsageError("- needs --stdin-filename, to know what kind of file it is")
    where = common.project(arguments, (named,))
    if where.problems:  # they may say what kind of file it is
        common.complain(where.problems, where.prefix)
        return PROBLEMS
    if arguments.stdin_filename:
        path, data = common.piped(named, where)
    else:
        path = os.path.relpath(os.path.abspath(named), where.root).replace(os.sep, "/")
        try:
            data = read_bytes(arguments.file, where.settings.max_file_size)
        except (OSError, ValueError) as error:
            raise UsageError(f"{visible(named)}: {reason(error)}") from error
    kind = by_content(path, where.settings.kind(path), data)
    if not kind:
        raise UsageError(f"{visible(named)}: no reader for this kind of file")
    rulebook = where.rulebook.only(where.settings.ever_enabled)
    passes = gate.passes(kind, data, rulebook.engines)
    reading, decoded = read(Source(path, kind, data))
    facts = derive(reading.facts)
    comments = suppressions(path, decoded.text)
    lines = Lines(decoded.text)
    if arguments.format == "json":
        import json

        document = {
            "version": 1,
            "path": path,
            "kind": kind,
            "passes_gate": passes,
            "facts": [{"fact": type(fact).__name__.lower(), **_json(fact, lines)} for fact in (*facts, *comments)],
            "problems": [problem._asdict() for problem in reading.problems],
        }
        sys.stdout.write(json.dumps(document, indent=1) + "\n")
    else:
        print(f"{visible(named)}: read as {kind}")
        if not passes:
            words = ", ".join(token.decode() for token in gate.tokens(kind, rulebook.engines))
            print(f"  no rule looks at it: it holds none of {words}")
        _show(facts, lines)
        for comment in comments:
            print(
                f"\nline {lines.line(comment.span.start)}: ignore {', '.join(comment.rules) or 'every rule'}: {visible(comment.reason) or 'no reason'}"
            )
    common.complain(tuple(reading.problems), where.prefix)
    return PROBLEMS if reading.problems else CLEAN


def _show(facts: list[Fact], lines: Lines) -> None:
    settings: dict[str, list[Setting]] = {}
    for fact in facts:
        if isinstance(fact, Setting):
            settings.setdefault(fact.block, []).append(fact)
    for fact in facts:
        if isinstance(fact, Block):
            traits = "".join(f", {name}={value}" for name, value in fact.traits)
            inside = f", in {fact.parent.rpartition('#')[2]}" if fact.parent else ""
            name = f" {fact.name!r}" if fact.name else ""
            print(
                f"\nblock {fact.id.rpartition('#')[2]}: {fact.engine} {fact.role}{name} ({fact.form}{traits}{inside}{', open' if fact.open else ''})"
            )
            for setting in settings.get(fact.id, ()):
                print(f"  {_at(setting.place(), lines):>8}  {visible(setting.key)} = {_value(setting)}")
    others = [fact for fact in facts if not isinstance(fact, (Block, Setting))]
    if others:
        print()
    for other in others:
        said = [
            f"{name}={value!r}"
            for name, value in zip(other._fields, other, strict=True)
            if value and isinstance(value, (str, bool)) and name != "block"
        ]
        said += [
            f"{name}={', '.join(value)}"
            for name, value in zip(other._fields, other, strict=True)
            if isinstance(value, tuple) and value and isinstance(value[0], str) and name != "place"
        ]
        print(f"{_at(other.place, lines):>10}  {type(other).__name__.lower()} {visible(', '.join(said))}")


def _value(setting: Setting) -> str:
    if not setting.known:
        return f"unknown ({visible(setting.text)})"
    sure = {"sure": "", "default": "  (by the default of a variable)", "branch": "  (on some path only)"}[setting.sure]
    return f"{visible(setting.text)!r}{sure}" if setting.text == "" else f"{visible(setting.text)}{sure}"


def _at(place: Place, lines: Lines) -> str:
    line, column = lines.position(place.span.start)
    return f"{line}:{column}"


def _json(value: Any, lines: Lines) -> Any:
    fields: dict[str, Any] = {}
    for name, part in zip(value._fields, value, strict=True):
        if name.endswith("span") or name == "reach":
            fields[name] = _range(part, lines)
        elif isinstance(part, Place):
            fields[name] = {"path": part.path, "role": part.role, **_range(part.span, lines)}
        elif name == "related":
            fields[name] = [{"path": place.path, **_range(place.span, lines)} for place in part]
        elif name == "edits":
            fields[name] = [{"path": edit.path, "new_text": edit.new_text, **_range(edit.span, lines)} for edit in part]
        elif name == "value":
            fields[name] = part if isinstance(part, str) else None
            fields["known"] = isinstance(part, str)
            fields["text"] = value.text
        elif name == "traits":
            fields[name] = dict(part)
        else:
            fields[name] = part
    return fields


def _range(span: tuple[int, int], lines: Lines) -> dict[str, dict[str, int]]:
    (line, column), (end_line, end_column) = lines.position(span[0]), lines.position(span[1])
    return {
        "start": {"line": line, "column": column, "offset": span[0]},
        "end": {"line": end_line, "column": end_column, "offset": span[1]},
    }
