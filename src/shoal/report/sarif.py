"""SARIF 2.1.0, as code scanning services read it: regions, related places, fixes, suppressions and fingerprints."""

from __future__ import annotations

import os
from json import dumps
from typing import Any
from urllib.parse import quote

from shoal import __version__
from shoal.model import Edit, Finding, Fix, Place, Problem
from shoal.report import Run
from shoal.report.layout import Locator, Range, problem_text, visible
from shoal.rulebook import Rule

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_LEVELS = {"error": "error", "warning": "warning", "info": "note"}
_PRECISIONS = {"high": "high", "medium": "medium", "low": "low"}


# What GitHub's code scanning takes: of more results in a run only so many are shown, and larger uploads are refused.
MOST_RESULTS = 5_000
MOST_BYTES = 10_000_000  # compressed with gzip


def render(run: Run) -> str:
    return dumps(document(run), indent=1) + "\n"


def parts(run: Run, results: int = MOST_RESULTS, size: int = MOST_BYTES) -> list[str]:
    """The run as one file or, where code scanning would not take or not show all of it, as several, in order of path.

    Each has a category of its own but the first, so that none takes the place of another. Problems are in the first.
    """
    made: list[str] = []
    pending = [run.findings[start : start + results] for start in range(0, len(run.findings), results)] or [()]
    while pending:
        findings = pending.pop(0)
        share = run._replace(findings=findings) if not made else run._replace(findings=findings, problems=(), left_out=())
        text = dumps(document(share, len(made) + 1), indent=1) + "\n"
        if len(findings) > 1 and len(text) > size and _compressed(text) > size:
            middle = len(findings) // 2
            pending[:0] = [findings[:middle], findings[middle:]]
        else:
            made.append(text)
    return made


def _compressed(text: str) -> int:
    import gzip

    return len(gzip.compress(text.encode("utf-8", "backslashreplace")))


def document(run: Run, part: int = 1) -> dict[str, Any]:
    locator = Locator(run)
    used = {finding.rule for finding in run.findings}
    rules = [rule for rule in run.rulebook.rules if rule.id in used]
    index = {rule.id: number for number, rule in enumerate(rules)}
    return {
        "$schema": _SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "shoal",
                        "version": __version__,
                        "semanticVersion": __version__,
                        "rules": [_rule(rule) for rule in rules],
                    }
                },
                **({"automationDetails": {"id": f"shoal-{part}/"}} if part > 1 else {}),
                "columnKind": "unicodeCodePoints",
                **_roots(run),
                "invocations": [
                    {
                        "executionSuccessful": not run.problems,
                        "toolExecutionNotifications": [_notification(problem, run) for problem in run.problems]
                        + [
                            {
                                "level": "note",
                                "message": {"text": visible(f"left out ({item.reason}) {item.detail}".strip())},
                                "locations": [_file(item.path, run)],
                            }
                            for item in run.left_out
                        ],
                    }
                ],
                "results": [_result(finding, index, locator, run) for finding in run.findings],
            }
        ],
    }


def _rule(rule: Rule) -> dict[str, Any]:
    sections = _sections(rule)
    described: dict[str, Any] = {
        "id": rule.id,
        "shortDescription": {"text": rule.summary},
        "defaultConfiguration": {"level": _LEVELS[rule.severity], "enabled": rule.default},
        "properties": {"precision": _PRECISIONS[rule.confidence], "tags": [*rule.engines, *rule.incidents, *rule.tags]},
    }
    if sections:
        described["fullDescription"] = {"text": sections.get("What it finds", rule.summary)}
        described["help"] = {
            "text": sections.get("How to fix", rule.summary),
            "markdown": "\n\n".join(f"**{title}**\n\n{body}" for title, body in sections.items() if title not in ("Bad", "Good")),
        }
    return described


def _sections(rule: Rule) -> dict[str, str]:
    """The sections of rule.md by title; none when the page is not there."""
    try:
        with open(os.path.join(rule.folder, "rule.md"), encoding="utf-8") as file:
            parts = file.read().split("\n## ")[1:]
    except OSError:
        return {}
    return {title.strip(): body.strip() for title, _, body in (part.partition("\n") for part in parts)}


def _result(finding: Finding, index: dict[str, int], locator: Locator, run: Run) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": finding.rule,
        "level": _LEVELS[finding.severity],
        "message": {"text": visible(finding.message)},
        "locations": [_location(finding.primary, locator, run)],
        "partialFingerprints": {"shoal/v1": finding.fingerprint},
        "properties": {"confidence": finding.confidence},
    }
    if finding.rule in index:
        result["ruleIndex"] = index[finding.rule]
    related = [place for place in finding.places if place.role == "related"]
    if related:
        result["relatedLocations"] = [{"id": number, **_location(place, locator, run)} for number, place in enumerate(related, 1)]
    if finding.fixes:
        result["fixes"] = [_fix(fix, locator, run) for fix in finding.fixes]
    if finding.status.state == "suppressed":
        result["suppressions"] = [{"kind": "inSource", "status": "accepted", "justification": visible(finding.status.reason)}]
    elif finding.status.state == "baselined":
        result["baselineState"] = "unchanged"
        result["suppressions"] = [{"kind": "external", "status": "accepted", "justification": "recorded in the baseline"}]
    return result


def _roots(run: Run) -> dict[str, Any]:
    """What paths are relative to: the project, or the top of a git tree, which is then named with its revision."""
    bases = {"SRCROOT": "The root of the project that was checked."}
    bases |= {_base(root.name, run): f"{root.name} at {root.commit}" for root in run.roots}
    found: dict[str, Any] = {"originalUriBaseIds": {name: {"description": {"text": visible(text)}} for name, text in bases.items()}}
    if run.roots:
        found["versionControlProvenance"] = [
            {
                "repositoryUri": "file://" + quote(root.repository.encode("utf-8", "surrogateescape"), safe="/"),
                "revisionId": root.commit,
                "mappedTo": {"uriBaseId": _base(root.name, run)},
            }
            for root in run.roots
        ]
    return found


def _base(name: str, run: Run) -> str:
    if not name or len(run.roots) == 1:
        return "SRCROOT"
    return f"SRCROOT{[root.name for root in run.roots].index(name) + 1}"


def _artifact(path: str, run: Run) -> dict[str, str]:
    name, inner = run.split(path)
    uri = quote(inner.encode("utf-8", "surrogateescape"), safe="/")
    return {"uri": uri} if inner.startswith("/") else {"uri": uri, "uriBaseId": _base(name, run)}


def _file(path: str, run: Run) -> dict[str, Any]:
    return {"physicalLocation": {"artifactLocation": _artifact(path, run)}}


def _location(place: Place, locator: Locator, run: Run) -> dict[str, Any]:
    location = _file(place.path, run)
    location["physicalLocation"]["region"] = _region(locator.range(place)) | {"snippet": {"text": visible(locator.snippet(place))}}
    if place.label:
        location["message"] = {"text": visible(place.label)}
    return location


def _region(found: Range) -> dict[str, Any]:
    return {"startLine": found.line, "startColumn": found.column, "endLine": found.end_line, "endColumn": found.end_column}


def _fix(fix: Fix, locator: Locator, run: Run) -> dict[str, Any]:
    by_path: dict[str, list[Edit]] = {}
    for edit in fix.edits:
        by_path.setdefault(edit.path, []).append(edit)
    changes = []
    for path, edits in by_path.items():
        replacements = [{"deletedRegion": _region(locator.edit(edit)), "insertedContent": {"text": edit.new_text}} for edit in edits]
        changes.append({"artifactLocation": _artifact(path, run), "replacements": replacements})
    return {"description": {"text": visible(f"{fix.title} ({fix.safety})")}, "artifactChanges": changes}


def _notification(problem: Problem, run: Run) -> dict[str, Any]:
    notification: dict[str, Any] = {
        "level": "error",
        "descriptor": {"id": problem.kind},
        "message": {"text": visible(problem_text(problem))},
    }
    if problem.path:
        location = _file(problem.path, run)
        if problem.line:
            location["physicalLocation"]["region"] = {"startLine": problem.line}
        notification["locations"] = [location]
    return notification
