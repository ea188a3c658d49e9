"""The rows as compact data for the page's script: every text once, rows as lists of numbers."""

from __future__ import annotations

from typing import Any

from shoal.report import Run
from shoal.report.html.rows import Excerpt, Row
from shoal.report.html.summary import NOBODY

SEVERITIES = ("error", "warning", "info")
CONFIDENCES = ("high", "medium", "low")


class Texts:
    """Gives each text a number, in order of first use."""

    def __init__(self) -> None:
        self.all: dict[str, int] = {}

    def __getitem__(self, text: str) -> int:
        return self.all.setdefault(text, len(self.all))


def pack(run: Run, rows: list[Row]) -> dict[str, Any]:
    """`texts` hold every text; `rules` map ids to [engine, summary].

    A row is [severity, confidence, rule, message, path, owners, fingerprint, places, fixes]; a place is
    [path, line, column, label, lines], the first the primary one; a line is [number, text] or [number, text, start, end]
    with the marked part in UTF-16 units; a fix is [title, safe]. All names are numbers of `texts`.
    """
    texts = Texts()
    owned = any(row.owners for row in rows)
    packed = [_row(row, texts, owned) for row in rows]
    used = {row.rule: row.engine for row in rows}
    rules = {}
    for name, engine in used.items():
        rule = run.rulebook.get(name)
        rules[name] = [engine, rule.summary if rule else ""]
    return {"rules": rules, "texts": list(texts.all), "rows": packed}


def _row(row: Row, texts: Texts, owned: bool) -> list[Any]:
    return [
        SEVERITIES.index(row.severity),
        CONFIDENCES.index(row.confidence),
        texts[row.rule],
        texts[row.message],
        texts[row.path],
        [texts[owner] for owner in row.owners or ((NOBODY,) if owned else ())],
        row.fingerprint,
        [_place(place, texts) for place in row.places],
        [[texts[title], int(safety == "safe")] for title, safety in row.fixes],
    ]


def _place(place: Excerpt, texts: Texts) -> list[Any]:
    lines = []
    for line in place.lines:
        packed = [line.number, texts[line.before + line.marked + line.after]]
        if line.marked:
            start = _units(line.before)
            packed += [start, start + _units(line.marked)]
        lines.append(packed)
    return [texts[place.path], place.line, place.column, texts[place.label], lines]


def _units(text: str) -> int:
    """The length as scripts count it."""
    return len(text) + sum(char > "\uffff" for char in text)
