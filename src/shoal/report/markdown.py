"""Markdown: a summary and a table for a pull request comment."""

from __future__ import annotations

import re

from shoal.report import Run
from shoal.report.layout import Locator, problem_text, totals, visible

_ICONS = {"error": "🔴 error", "warning": "🟠 warning", "info": "🔵 note"}
_LIMIT = 200  # a comment holds 65,536 characters


def render(run: Run) -> str:
    locator = Locator(run)
    rows = [f"### shoal: {escape(totals(run))}", ""]
    if run.open:
        rows += ["| | Where | Rule | What will happen |", "|---|---|---|---|"]
        for finding in run.open[:_LIMIT]:
            where = f"{locator.shown(finding.primary.path)}:{locator.range(finding.primary).line}"
            cell = locator.cell(finding.primary)
            where += f", {cell.words}" if cell else ""
            rows.append(f"| {_ICONS[finding.severity]} | {code(where)} | {code(finding.rule)} | {escape(finding.message)} |")
        if len(run.open) > _LIMIT:
            rows += ["", f"… and {len(run.open) - _LIMIT:,} more."]
        rows.append("")
    if run.problems:
        rows += ["**Problems** (these files were not, or not wholly, checked):", ""]
        for problem in run.problems[:_LIMIT]:
            where = locator.shown(problem.path) + (f":{problem.line}" if problem.line else "")
            rows.append(f"- {code(where)} {escape(problem_text(problem))}")
        rows.append("")
    return "\n".join(rows)


def escape(text: str) -> str:
    """Inert in a table cell: no markup, links, mentions or HTML from what was scanned."""
    return re.sub(r"([\\`*_{}\[\]<>|#!~@$])", r"\\\1", visible(text)).replace("&", "&amp;").replace("://", ":\u200b//")


def code(text: str) -> str:
    shown = visible(text).replace("|", "\\|")
    fence = "`" * (max((len(run) for run in re.findall("`+", shown)), default=0) + 1)
    return f"{fence}{' ' if '`' in shown else ''}{shown}{' ' if '`' in shown else ''}{fence}"
