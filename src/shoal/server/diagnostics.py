"""Findings and problems as diagnostics."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path

from lsprotocol import types

from shoal.model import Finding, Place, Problem, Span
from shoal.report.layout import problem_text, visible
from shoal.rulebook import Rulebook
from shoal.server.positions import Ruler

SOURCE = "shoal"
_SEVERITIES = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "info": types.DiagnosticSeverity.Information,
}
_MOST = 1_000  # of one file; an editor is no help with more

# A root-relative path -> what positions in it are counted with, and its address.
Rulers = Callable[[str], Ruler]
Address = Callable[[str], str]


def of(
    findings: Iterable[Finding], problems: Iterable[Problem], rulebook: Rulebook, ruler: Rulers, address: Address
) -> list[types.Diagnostic]:
    """The diagnostics of one file: open findings, and what kept shoal from looking."""
    made = [_problem(problem, ruler) for problem in problems]
    made += [_finding(finding, rulebook, ruler, address) for finding in findings if finding.status.state == "open"]
    return made[:_MOST]


def _finding(finding: Finding, rulebook: Rulebook, ruler: Rulers, address: Address) -> types.Diagnostic:
    unsure = "" if finding.confidence == "high" else f" ({finding.confidence} confidence)"
    page = rule_page(finding.rule, rulebook)
    return types.Diagnostic(
        range=_range(finding.primary, ruler),
        message=visible(finding.message) + unsure,
        severity=_SEVERITIES[finding.severity],
        code=finding.rule,
        code_description=types.CodeDescription(page) if page else None,
        source=SOURCE,
        related_information=_related(finding, ruler, address) or None,
        tags=[types.DiagnosticTag.Deprecated] if "deprecated" in finding.rule else None,
        data={"fingerprint": finding.fingerprint},
    )


def rule_page(rule_id: str, rulebook: Rulebook) -> str:
    """Where a rule's page stands on this machine, as an address; empty when there is none."""
    rule = rulebook.get(rule_id)
    file = os.path.join(rule.folder, "rule.md") if rule else ""
    return Path(file).absolute().as_uri() if file and os.path.isfile(file) else ""


def _related(finding: Finding, ruler: Rulers, address: Address) -> list[types.DiagnosticRelatedInformation]:
    return [
        types.DiagnosticRelatedInformation(
            types.Location(address(place.path), _range(place, ruler)), visible(place.label) or "the other side of it"
        )
        for place in finding.places
        if place.role == "related"
    ]


def _range(place: Place, ruler: Rulers) -> types.Range:
    return ruler(place.path).range(place.span)


def _problem(problem: Problem, ruler: Rulers) -> types.Diagnostic:
    measure = ruler(problem.path)
    start = measure.offset(types.Position(max(problem.line, 1) - 1, 0))
    span = measure.line(start)
    indent = len(measure.text[span.start : span.end]) - len(measure.text[span.start : span.end].lstrip())
    return types.Diagnostic(
        range=measure.range(Span(span.start + indent if problem.line else span.start, span.end if problem.line else span.start)),
        message=visible(problem_text(problem)),
        severity=types.DiagnosticSeverity.Error,
        code=problem.kind,
        source=SOURCE,
    )
