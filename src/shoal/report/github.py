"""GitHub Actions workflow commands: one annotation a finding, on the lines of the pull request."""

from __future__ import annotations

from shoal.report import Run
from shoal.report.layout import Locator, problem_text, totals, visible

_COMMANDS = {"error": "error", "warning": "warning", "info": "notice"}


def render(run: Run) -> str:
    locator = Locator(run)
    rows = []
    for finding in run.open:
        found = locator.range(finding.primary)
        where = {
            "file": run.split(finding.primary.path)[1],
            "line": found.line,
            "endLine": found.end_line,
            "col": found.column,
            "endColumn": max(found.end_column - 1, found.column),
        }
        if found.end_line != found.line:  # columns are only allowed on a single line
            del where["col"], where["endColumn"]
        related = [place for place in finding.places if place.role == "related"]
        also = "".join(f"\nsee also {place.path}:{locator.range(place).line}" for place in related)
        rows.append(_command(_COMMANDS[finding.severity], {**where, "title": finding.rule}, finding.message + also))
    for problem in run.problems:
        place = (
            {"file": run.split(problem.path)[1], "line": problem.line}
            if problem.line
            else {"file": run.split(problem.path)[1]}
            if problem.path
            else {}
        )
        rows.append(_command("error", {**place, "title": f"shoal: {problem.kind}"}, problem_text(problem)))
    rows.append(_data(totals(run)))
    return "\n".join(rows) + "\n"


def _command(name: str, properties: dict[str, object], message: str) -> str:
    return f"::{name} {','.join(f'{key}={_property(str(value))}' for key, value in properties.items())}::{_data(message)}"


def _data(text: str) -> str:
    """Escaped so that no text can end the line and start a command of its own."""
    return visible(text.replace("\n", "\0")).replace("%", "%25").replace("\\x00", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
