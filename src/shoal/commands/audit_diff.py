"""`shoal audit diff OLD.json NEW.json`: what is new, what is gone and what remains between two runs."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from shoal.cli import CLEAN, FINDINGS, UsageError
from shoal.commands import common
from shoal.records import NamedTuple
from shoal.report.layout import visible

_FORMATS = ("text", "json", "markdown")
_GROUPS = ("new", "fixed", "silenced", "unchecked", "remaining")
_SAID = {
    "new": "New",
    "fixed": "Fixed",
    "silenced": "Silenced",
    "unchecked": "No longer checked",
    "remaining": "Remaining",
}
_LABELS = {"error": "error", "warning": "warning", "info": "note"}
_MOST = 200  # rows of a group in Markdown: a comment holds 65,536 characters


class Item(NamedTuple):
    """A finding as the JSON report has it; `state` is `open`, `suppressed` or `baselined`."""

    severity: str
    path: str
    line: int
    rule: str
    message: str
    confidence: str
    state: str
    fingerprint: str


class Recorded(NamedTuple):
    """One run: its findings, and the paths that it could not check or left out."""

    items: tuple[Item, ...]
    unchecked: frozenset[str]


Difference = dict[str, list[Item]]


def run(arguments: argparse.Namespace, old: str, new: str) -> int:
    """1 when there are new findings, else 0."""
    pairs = common.reports_of(arguments)
    if stranger := next((name for name, _ in pairs if name not in _FORMATS), ""):
        raise UsageError(f"audit diff has no format {stranger} (there are {', '.join(_FORMATS)})")
    found = compare(_read(old), _read(new))
    for name, file in pairs:
        text = {"text": _text, "json": _json, "markdown": _markdown}[name](found)
        if file:
            common.write(file, text)
        else:
            sys.stdout.write(text)
    return FINDINGS if found["new"] and not arguments.exit_zero else CLEAN


def compare(old: Recorded, new: Recorded) -> Difference:
    """Open findings by fingerprint: `new`, `fixed`, `silenced` (suppressed or baselined since), `unchecked` (the new run has not
    looked at the file, so nobody knows), `remaining`."""
    before = {item.fingerprint: item for item in old.items if item.state == "open"}
    after = {item.fingerprint: item for item in new.items}
    found: Difference = {name: [] for name in _GROUPS}
    found["new"] = [item for item in after.values() if item.state == "open" and item.fingerprint not in before]
    for item in before.values():
        now = after.get(item.fingerprint)
        if now is None:
            found["unchecked" if item.path in new.unchecked else "fixed"].append(item)
        else:
            found["remaining" if now.state == "open" else "silenced"].append(now)
    return found


def _read(file: str) -> Recorded:
    import json

    try:
        with open(file, encoding="utf-8") as source:
            document = json.load(source)
        if document["version"] != 1:
            raise UsageError(f"{file}: version {document['version']} of the report is not known here")
        return Recorded(
            tuple(_item(entry) for entry in document["findings"]),
            frozenset(_path(entry) for name in ("problems", "left_out") for entry in document[name]),
        )
    except OSError as error:
        raise UsageError(f"cannot read {file}: {error.strerror}") from error
    except (ValueError, KeyError, TypeError, IndexError, RecursionError) as error:
        raise UsageError(f"{file} is not a report of shoal; make one with: shoal audit --format json --output {file}") from error


def _item(entry: dict[str, Any]) -> Item:
    place = entry["places"][0]
    if entry["severity"] not in ("error", "warning", "info"):
        raise ValueError(entry["severity"])
    return Item(
        entry["severity"],
        _path(place),
        int(place["start"]["line"]),
        str(entry["rule"]),
        str(entry["message"]),
        str(entry["confidence"]),
        str(entry["status"]),
        str(entry["fingerprint"]),
    )


def _path(entry: dict[str, Any]) -> str:
    """The path, in a git tree after the tree's name."""
    return f"{entry['root']}/{entry['path']}" if entry.get("root") else str(entry["path"])


def _json(found: Difference) -> str:
    import json

    document = {
        "version": 1,
        "summary": {name: len(found[name]) for name in _GROUPS},
        **{name: [item._asdict() for item in found[name]] for name in _GROUPS},
    }
    return json.dumps(document, indent=1) + "\n"


def _text(found: Difference) -> str:
    lines = []
    for name in _GROUPS[:-1]:
        if found[name]:
            lines += [_SAID[name], *(f"  {_shown(item)}" for item in found[name]), ""]
    return "\n".join([*lines, _totals(found)]) + "\n"


def _shown(item: Item) -> str:
    return visible(f"{_LABELS[item.severity]:<8} {item.path}:{item.line}  {item.rule}: {item.message}")


def _totals(found: Difference) -> str:
    parts = [f"{len(found[name]):,} {_SAID[name].lower()}" for name in _GROUPS if found[name] or name in ("new", "fixed", "remaining")]
    return ", ".join(parts)


def _markdown(found: Difference) -> str:
    from shoal.report.markdown import code, escape

    rows = [f"### shoal: {_totals(found)}", ""]
    for name in _GROUPS[:-1]:
        if not found[name]:
            continue
        rows += [f"**{_SAID[name]}**", "", "| | Where | Rule | What will happen |", "|---|---|---|---|"]
        rows += [
            f"| {_LABELS[item.severity]} | {code(f'{item.path}:{item.line}')} | {code(item.rule)} | {escape(item.message)} |"
            for item in found[name][:_MOST]
        ]
        rows += ["", f"… and {len(found[name]) - _MOST:,} more.", ""] if len(found[name]) > _MOST else [""]
    return "\n".join(rows)
