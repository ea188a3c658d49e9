"""JSON, version 1: everything a program may want to know. Its schema is `report.schema.json` beside this file."""

from __future__ import annotations

from json import dumps
from typing import Any

from shoal import __version__
from shoal.model import Finding, Place
from shoal.report import Run
from shoal.report.layout import Locator


def render(run: Run) -> str:
    """A line for each finding, problem and file left out, so that reports can be compared and searched line by line."""
    parts = []
    for name, value in document(run).items():
        lines = [dumps(item) for item in value] if isinstance(value, list) else []
        text = "[\n  " + ",\n  ".join(lines) + "\n ]" if lines else dumps(value)
        parts.append(f' "{name}": {text}')
    return "{\n" + ",\n".join(parts) + "\n}\n"


def document(run: Run) -> dict[str, Any]:
    """The report as plain data. Lines and columns are 1-based, in characters; offsets are 0-based characters of the decoded text."""
    locator = Locator(run)
    return {
        "version": 1,
        "tool": {"name": "shoal", "version": __version__},
        "summary": {
            "open": len(run.open),
            "suppressed": sum(finding.status.state == "suppressed" for finding in run.findings),
            "baselined": sum(finding.status.state == "baselined" for finding in run.findings),
            "problems": len(run.problems),
            "files": run.files,
            "read": run.read,
            "left_out": len(run.left_out),
        },
        **({"roots": [root._asdict() for root in run.roots]} if run.roots else {}),
        "findings": [_finding(finding, locator) for finding in run.findings],
        "problems": [
            {
                **_path(problem.path, locator),
                "kind": problem.kind,
                "message": problem.message,
                "line": problem.line,
                "help": problem.help,
            }
            for problem in run.problems
        ],
        "left_out": [{**_path(item.path, locator), "reason": item.reason, "detail": item.detail} for item in run.left_out],
    }


def _path(path: str, locator: Locator) -> dict[str, str]:
    """`path`, and for what stands in a git tree its name as `root`."""
    root, inner = locator.split(path)
    return {"path": inner, "root": root} if root else {"path": locator.shown(path)}


def _finding(finding: Finding, locator: Locator) -> dict[str, Any]:
    return {
        "rule": finding.rule,
        "message": finding.message,
        "severity": finding.severity,
        "confidence": finding.confidence,
        "status": finding.status.state,
        "status_reason": finding.status.reason,
        "fingerprint": finding.fingerprint,
        "places": [_place(place, locator) for place in finding.places],
        "fixes": [
            {
                "title": fix.title,
                "safety": fix.safety,
                "edits": [
                    {
                        **_path(edit.path, locator),
                        "start": edit.span.start,
                        "end": edit.span.end,
                        "new_text": edit.new_text,
                    }
                    for edit in fix.edits
                ],
            }
            for fix in finding.fixes
        ],
    }


def _place(place: Place, locator: Locator) -> dict[str, Any]:
    found = locator.range(place)
    cell = locator.cell(place)
    return {
        **_path(place.path, locator),
        "role": place.role,
        "label": place.label,
        "start": {"line": found.line, "column": found.column, "offset": place.span.start},
        "end": {"line": found.end_line, "column": found.end_column, "offset": place.span.end},
        **({"cell": {"number": cell.number, "line": cell.line, "column": cell.column}} if cell else {}),
    }
