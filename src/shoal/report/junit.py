"""JUnit XML: a failed test case a finding, an error a problem, and one passed case when there is nothing to say."""

from __future__ import annotations

from xml.sax.saxutils import escape, quoteattr

from shoal.report import Run
from shoal.report.layout import Locator, problem_text, visible


def render(run: Run) -> str:
    locator = Locator(run)
    cases = []
    for finding in run.open:
        place = finding.primary
        line = locator.range(place).line
        message = visible(finding.message)
        cases.append(
            f'  <testcase classname={_attribute(place.path)} name={_attribute(f"{finding.rule} at line {line}")} file={_attribute(place.path)} line="{line}">\n'
            f'    <failure type="{finding.severity}" message={_attribute(message)}>{escape(visible(f"{locator.shown(place.path)}:{line}: {message}"))}</failure>\n'
            "  </testcase>"
        )
    for problem in run.problems:
        message = visible(problem_text(problem))
        cases.append(
            f"  <testcase classname={_attribute(problem.path or 'shoal')} name={_attribute(problem.kind)}>\n"
            f"    <error type={_attribute(problem.kind)} message={_attribute(message)}/>\n  </testcase>"
        )
    failures, errors = len(run.open), len(run.problems)
    if not cases:
        cases.append('  <testcase classname="shoal" name="no findings"/>')
    head = f'<testsuite name="shoal" tests="{len(cases)}" failures="{failures}" errors="{errors}" skipped="0" time="{run.seconds:.3f}">'
    return "\n".join(['<?xml version="1.0" encoding="UTF-8"?>', "<testsuites>", head, *cases, "</testsuite>", "</testsuites>"]) + "\n"


def _attribute(text: str) -> str:
    return quoteattr(visible(text).replace("\ufffe", "?").replace("\uffff", "?"))
