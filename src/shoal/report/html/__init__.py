"""One self-contained page for people: what matters first, where it is, every finding with its source, filters and search.

The page loads nothing: style, script and data stand in it, and its content policy forbids anything else. It is built with Jinja2,
the treemap is laid out by squarify, owners are read by codeowners: `pip install 'shoal[report]'`.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from shoal import __version__
from shoal.report import Run
from shoal.report.html.pack import pack
from shoal.report.html.rows import LABELS, Row, rows_of
from shoal.report.html.summary import summary_of
from shoal.report.html.treemap import MOST, treemap
from shoal.report.html.trend import trend
from shoal.report.layout import Locator, plural, problem_text, totals, visible

PACKAGES = ("jinja2", "squarify", "codeowners")
FIRST = 100  # listed in the page itself, for readers without scripts; the script shows all
_PROBLEMS = 1_000


def render(run: Run) -> str:
    """The page. Raises ModuleNotFoundError when the packages of `shoal[report]` are missing."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined
    from markupsafe import Markup

    here = Path(__file__).parent
    environment = Environment(
        loader=FileSystemLoader(here), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    rows = rows_of(run)
    style, script = ((here / name).read_text(encoding="utf-8") for name in ("page.css", "page.js"))
    summary = summary_of(run, rows)
    return environment.get_template("page.html").render(
        version=__version__,
        command=run.command,
        labels=LABELS,
        plural=plural,
        totals=visible(totals(run)),
        roots=[root._replace(name=visible(root.name)) for root in run.roots],
        summary=summary,
        map=treemap(summary.folders, summary.common, (1000, 320)),
        narrow=treemap(summary.folders, summary.common, (360, 480)),
        most=MOST,
        trend=trend(run.history),
        rows=rows[:FIRST],
        count=len(rows),
        problems=_problems(run),
        more_problems=max(0, len(run.problems) - _PROBLEMS),
        style=Markup(style),
        script=Markup(script),
        policy=f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; base-uri 'none'; form-action 'none'",
        data=Markup(embedded(pack(run, rows))),
    )


def embedded(data: Any) -> str:
    """Compact JSON that may stand in a script element: nothing in it can end the element, start a comment or break a line."""
    text = json.dumps(data, ensure_ascii=True, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _hash(content: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()


def _problems(run: Run) -> Sequence[tuple[str, str, str]]:
    """(where, kind, text) of the first problems."""
    locator = Locator(run)
    return [
        (
            visible(locator.shown(problem.path)) + (f":{problem.line}" if problem.line else ""),
            problem.kind,
            visible(problem_text(problem)),
        )
        for problem in run.problems[:_PROBLEMS]
    ]


__all__ = ["FIRST", "PACKAGES", "Row", "embedded", "render"]
