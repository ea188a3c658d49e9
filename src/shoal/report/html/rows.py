"""The findings as the page shows them: in order of weight, with owners, folders and marked excerpts; everything made visible."""

from __future__ import annotations

from shoal.model import Finding, Place
from shoal.records import NamedTuple
from shoal.report import Run
from shoal.report.html.owners import owners_of
from shoal.report.layout import MARKED, Locator, indent, visible

LABELS = {"error": "error", "warning": "warning", "info": "note"}
_WEIGHT = {"error": 0, "warning": 1, "info": 2}
_SURE = {"high": 0, "medium": 1, "low": 2}
_WIDTH = 200  # characters of a longer line that are shown around the span


class Line(NamedTuple):
    """A line of an excerpt: `marked` is the part the finding is about, empty in lines around it."""

    number: int
    before: str
    marked: str = ""
    after: str = ""


class Excerpt(NamedTuple):
    """A place: `line` and `column` are 1-based; without `lines` when the file can no longer be read."""

    role: str
    path: str
    line: int
    column: int
    label: str
    lines: tuple[Line, ...]


class Row(NamedTuple):
    """One open finding. `owners` are of the primary place's path; `folder` is empty at the top; `fixes` are (title, safety)."""

    rule: str
    engine: str
    severity: str
    confidence: str
    message: str
    path: str
    folder: str
    owners: tuple[str, ...]
    fingerprint: str
    places: tuple[Excerpt, ...]
    fixes: tuple[tuple[str, str], ...]


def rows_of(run: Run) -> list[Row]:
    """The open findings, what matters first first: by severity, confidence, then place."""
    locator = Locator(run)
    engines = {rule.id: rule.engine_folder for rule in run.rulebook.rules}
    found = sorted(run.open, key=lambda each: (_WEIGHT[each.severity], _SURE[each.confidence], each.primary.path, each.primary.span))
    owners = owners_of(run)
    return [_row(finding, locator, engines.get(finding.rule, "shoal"), owners(finding.primary.path)) for finding in found]


def _row(finding: Finding, locator: Locator, engine: str, owners: tuple[str, ...]) -> Row:
    path = visible(locator.shown(finding.primary.path))
    return Row(
        finding.rule,
        engine,
        finding.severity,
        finding.confidence,
        visible(finding.message).replace("\t", " "),
        path,
        path.rpartition("/")[0],
        owners,
        finding.fingerprint,
        tuple(_excerpt(place, locator) for place in finding.places if place.role != "covers"),
        tuple((visible(fix.title).replace("\t", " "), fix.safety) for fix in finding.fixes),
    )


def _excerpt(place: Place, locator: Locator) -> Excerpt:
    found = locator.range(place)
    lines = []
    for number in locator.numbers(place):
        content = locator.line(place.path, number)
        if found.line <= number <= min(found.end_line, found.line + MARKED - 1):
            start = found.column - 1 if number == found.line else indent(content)
            lines.append(_cut(number, content, start, found.end_column - 1 if number == found.end_line else len(content)))
        elif content:
            lines.append(_cut(number, content, 0, 0))
    shown = tuple(lines) if any(line.before.strip() or line.marked for line in lines) else ()
    return Excerpt(place.role, visible(locator.shown(place.path)), found.line, found.column, visible(place.label).replace("\t", " "), shown)


def _cut(number: int, content: str, start: int, end: int) -> Line:
    """The line in three parts; a long one cut to a window around the span."""
    cut_left, cut_right = "", ""
    if len(content) > _WIDTH:
        first = max(0, min(start - 40, len(content) - _WIDTH))
        cut_left, cut_right = "…" if first else "", "…" if first + _WIDTH < len(content) else ""
        content = content[first : first + _WIDTH]
        start, end = start - first, min(end - first, len(content))
    parts = (content[:start], content[start:end], content[end:])
    before, marked, after = (visible(part.replace("\t", " ")) for part in parts)
    return Line(number, cut_left + before, marked, after + cut_right)
