"""One line a finding, `path:line:column: severity [rule] message`: what vim's errorformat, efm, ALE, none-ls and Emacs read.

Columns are in characters, from 1. A problem is an error of its kind; nothing is printed when there is nothing to say.
"""

from __future__ import annotations

from shoal.report import Run
from shoal.report.layout import Locator, problem_text, visible


def render(run: Run) -> str:
    locator = Locator(run)
    rows = []
    for finding in run.open:
        found = locator.range(finding.primary)
        where = f"{locator.shown(finding.primary.path)}:{found.line}:{found.column}"
        unsure = "" if finding.confidence == "high" else f" ({finding.confidence} confidence)"
        cell = locator.cell(finding.primary)
        inside = f" ({cell.words})" if cell else ""
        rows.append(f"{where}: {finding.severity} [{finding.rule}] {finding.message}{unsure}{inside}")
    for problem in run.problems:
        where = f"{locator.shown(problem.path) if problem.path else 'shoal'}:{max(problem.line, 1)}:1"
        rows.append(f"{where}: error [{problem.kind}] {problem_text(problem)}")
    return "".join(visible(row).replace("\t", " ") + "\n" for row in rows)
