"""For people: each finding with its source underlined, the other side of a relation, and what to do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from shoal.model import Finding, LeftOut, Place, Problem
from shoal.report import Run
from shoal.report.layout import Locator, plural, problem_text, totals, visible

if TYPE_CHECKING:
    from rich.console import Console

# A line of output is a list of (text, style); styles are those of rich. Plain text drops them.
Line = list[tuple[str, str]]

_COLOURS = {"error": "bold red", "warning": "bold yellow", "info": "bold cyan"}
_LABELS = {"error": "error", "warning": "warning", "info": "note"}
_WIDTH = 160  # an excerpt of a longer line is cut around the span
_TOP = 10


def render(run: Run) -> str:
    return "".join("".join(text for text, _ in line) + "\n" for line in lines(run))


def print_run(run: Run, console: Console) -> None:
    """The same lines on a terminal, with colour where it takes it."""
    from rich.text import Text

    for line in lines(run):
        console.print(Text.assemble(*line), soft_wrap=True, highlight=False)


def lines(run: Run) -> Iterator[Line]:
    locator = Locator(run)
    for finding in run.open:
        rule = run.rulebook.get(finding.rule)
        yield from _finding(finding, locator, rule is None or bool(rule.folder))
        yield []
    for problem in run.problems:
        yield from _problem(problem, locator)
    if run.problems:
        yield []
    for root in run.roots:
        yield [("read ", "dim"), (visible(root.name), "bold"), (f" ({root.commit[:12]})", "dim")]
    if run.command == "audit":
        yield from _summary(run, locator)
    yield from _left_out(run.left_out, locator)
    style = (
        "bold red"
        if run.problems or any(finding.severity == "error" for finding in run.open)
        else "bold yellow"
        if run.open
        else "bold green"
    )
    yield [(totals(run), style)]


def _finding(finding: Finding, locator: Locator, has_page: bool = True) -> Iterator[Line]:
    colour = _COLOURS[finding.severity]
    unsure = "" if finding.confidence == "high" else f" ({finding.confidence} confidence)"
    yield [(_LABELS[finding.severity], colour), (f"[{finding.rule}]", colour), (f"{unsure}: ", "dim"), (visible(finding.message), "bold")]
    shown = [place for place in finding.places if place.role != "covers"]
    ranges = [locator.range(place) for place in shown]
    gutter = len(str(max(found.end_line for found in ranges)))
    for place in shown:
        yield from _excerpt(place, locator, gutter, colour if place.role == "primary" else "cyan", _LABELS[finding.severity] == "error")
    for fix in finding.fixes:
        flag = "--fix" if fix.safety == "safe" else "--fix --unsafe-fixes"
        yield [(" " * gutter + " = ", "dim"), ("fix: ", "green"), (f"{visible(fix.title)} ", ""), (f"({flag})", "dim")]
    if has_page:
        yield [(" " * gutter + " = ", "dim"), (f"shoal explain {finding.rule}", "dim")]


def _excerpt(place: Place, locator: Locator, gutter: int, colour: str, strong: bool) -> Iterator[Line]:
    found = locator.range(place)
    arrow = "-->" if place.role == "primary" else ":::"
    cell = locator.cell(place)
    where = f"{visible(locator.shown(place.path))}:{found.line}:{found.column}"
    yield [(" " * gutter + f"{arrow} ", "blue"), (where, ""), *([(f" ({cell.words})", "dim")] if cell else [])]
    number, column, content = found.line, found.column, locator.line(place.path, found.line)
    end = found.end_column if found.end_line == found.line else len(content) + 1
    if cell and place.path.endswith(".ipynb"):  # of the JSON around it nobody wants to see anything
        number, column, content = cell.line, cell.column, cell.content
        end = cell.column + max(1, len(locator.snippet(place)))
    start, content, end = _cut(column, content.replace("\t", " "), end)
    if not content.strip():
        return
    before, marked, after = content[: start - 1], content[start - 1 : end - 1], content[end - 1 :]
    yield [(f"{number:>{gutter}} | ", "blue"), (visible(before), ""), (visible(marked), colour), (visible(after), "")]
    width = max(1, len(visible(marked)))
    mark = ("^" if place.role == "primary" else "-") * width
    label = f" {visible(place.label)}" if place.label else ""
    yield [(" " * gutter + " | ", "blue"), (" " * len(visible(before)), ""), (mark + label, colour)]


def _cut(start: int, content: str, end: int) -> tuple[int, str, int]:
    """A long line cut to a window around the span."""
    if len(content) <= _WIDTH:
        return start, content, end
    end = min(end, start + _WIDTH - 20)
    first = max(0, min(start - 21, len(content) - _WIDTH))
    return start - first, content[first : first + _WIDTH], end - first


def _problem(problem: Problem, locator: Locator) -> Iterator[Line]:
    where = visible(locator.shown(problem.path)) + (f":{problem.line}" if problem.line else "")
    yield [
        ("problem", "bold magenta"),
        (f"[{problem.kind}]: ", "bold magenta"),
        (f"{where}: " if where else "", ""),
        (visible(problem_text(problem)), ""),
    ]


def _left_out(left_out: tuple[LeftOut, ...], locator: Locator) -> Iterator[Line]:
    """Files named one by one only while they are few and were left out for what stands in them."""
    named = [item for item in left_out if item.reason in ("partly-read", "template", "too-large")]
    for item in named[:5]:
        yield [
            ("left out", "dim"),
            (f"[{item.reason}]: {visible(locator.shown(item.path))}", "dim"),
            (f": {visible(item.detail)}" if item.detail else "", "dim"),
        ]
    if len(named) > 5:
        yield [(f"left out: {len(named) - 5} more templates, large files or partly read ones", "dim")]


def _summary(run: Run, locator: Locator) -> Iterator[Line]:
    found = run.open
    if not found:
        return
    engines = {rule.id: rule.engine_folder for rule in run.rulebook.rules}
    yield [("Fix these first", "bold underline")]
    weight = {"error": 0, "warning": 1, "info": 2}
    sure = {"high": 0, "medium": 1, "low": 2}
    first = sorted(
        found, key=lambda finding: (weight[finding.severity], sure[finding.confidence], finding.primary.path, finding.primary.span)
    )
    for finding in first[:_TOP]:
        where = f"{visible(locator.shown(finding.primary.path))}:{locator.range(finding.primary).line}"
        yield [("  " + _LABELS[finding.severity].ljust(8), _COLOURS[finding.severity]), (f"{where}  ", ""), (finding.rule, "bold")]
    yield []
    for title, counts in (
        ("By rule", Counter(finding.rule for finding in found)),
        ("By engine", Counter(engines.get(finding.rule, "shoal") for finding in found)),
        ("By folder", Counter(_folder(locator.shown(finding.primary.path)) for finding in found)),
    ):
        yield [(title, "bold underline")]
        ranked = sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))
        for name, count in ranked[:20]:
            yield [(f"{count:>7,}  ", "bold"), (visible(name), "")]
        if len(ranked) > 20:
            yield [(f"         and {plural(len(ranked) - 20, 'more', 'more')}", "dim")]
        yield []


def _folder(path: str) -> str:
    folder = path.rpartition("/")[0]
    return "/".join(folder.split("/")[:3]) or "."
