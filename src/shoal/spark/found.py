"""Findings as rows, with all that reports show of their files, and back again: a driver sees no file."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from shoal.cells import InCell
from shoal.model import Edit, Finding, Fix, Place, Span, Status
from shoal.report import Piece, Positions, Range
from shoal.report.layout import Locator, piece, restored
from shoal.spark.plan import column, text_of

_EXCERPT = 400
_RANGE = Range._fields


def finding_row(finding: Finding, locator: Locator, owners: tuple[str, ...]) -> dict[str, Any]:
    """A finding by the columns of `rows.FINDING`."""
    places = [_place_row(place, locator) for place in finding.places]
    first = places[0]
    return {
        "path": first["path"],
        "rule": finding.rule,
        "severity": finding.severity,
        "confidence": finding.confidence,
        "state": finding.status.state,
        "state_reason": column(finding.status.reason),
        "state_where": column(finding.status.where),
        "message": column(finding.message),
        "fingerprint": finding.fingerprint,
        "owners": list(owners),
        **{name: first[name] for name in (*_RANGE, "excerpt")},
        "places": places,
        "fixes": [
            {"title": column(fix.title), "safety": fix.safety, "edits": [_edit_row(edit, locator) for edit in fix.edits]}
            for fix in finding.fixes
        ],
    }


def _place_row(place: Place, locator: Locator) -> dict[str, Any]:
    found = locator.range(place)
    cell = locator.cell(place)
    shown = place.role != "covers"
    return {
        "path": column(place.path),
        "role": place.role,
        "label": column(place.label),
        "start": place.span.start,
        "end": place.span.end,
        **found._asdict(),
        "excerpt": column(locator.line(place.path, found.line)[:_EXCERPT]),
        "lines": [_line_row(one) for one in locator.pieces(place)] if shown else [],
        "cell": {"number": cell.number, "column": cell.column, "line": _line_row(piece(cell.line, cell.content, cell.column - 1))}
        if cell
        else None,
    }


def _line_row(found: Piece) -> dict[str, Any]:
    return {**found._asdict(), "text": column(found.text)}


def _edit_row(edit: Edit, locator: Locator) -> dict[str, Any]:
    where = {"path": column(edit.path), "start": edit.span.start, "end": edit.span.end}
    return {**where, **locator.edit(edit)._asdict(), "new_text": column(edit.new_text)}


def finding_of(row: Any, called: Callable[[str], str], positions: Positions) -> Finding:
    """A finding out of its row; what reports show of it goes to `positions`. `called(path)` is what a file is called in reports."""
    fixes = tuple(
        Fix(text_of(fix["title"]), fix["safety"], tuple(_edit(at, called, positions) for at in fix["edits"])) for fix in row["fixes"]
    )
    places = tuple(_place(at, called, positions) for at in row["places"])
    positions.owners[places[0].path] = tuple(row["owners"] or ())
    return Finding(
        row["rule"],
        text_of(row["message"]),
        places,
        row["severity"],
        row["confidence"],
        fixes,
        Status(row["state"], text_of(row["state_reason"]), text_of(row["state_where"])),
        row["fingerprint"],
    )


def _place(at: Any, called: Callable[[str], str], positions: Positions) -> Place:
    path = called(at["path"])
    positions.ranges[path, at["start"], at["end"]] = _range(at)
    for line in at["lines"] or ():  # rows of an earlier shoal have none
        positions.lines.setdefault((path, line["number"]), set()).add(_piece(line))
    if cell := at["cell"]:
        line = _piece(cell["line"])
        positions.cells[path, at["start"]] = InCell(cell["number"], line.number, cell["column"], restored((line,)))
    return Place(path, Span(at["start"], at["end"]), at["role"], text_of(at["label"]))


def _edit(at: Any, called: Callable[[str], str], positions: Positions) -> Edit:
    path = called(at["path"])
    positions.edits[path, at["start"], at["end"]] = _range(at)
    return Edit(path, Span(at["start"], at["end"]), text_of(at["new_text"]))


def _range(at: Any) -> Range:
    return Range(*(at[name] for name in _RANGE))


def _piece(line: Any) -> Piece:
    return Piece(line["number"], line["length"], line["start"], text_of(line["text"]))
