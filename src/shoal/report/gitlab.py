"""GitLab code quality: the array of issues its merge request widget reads."""

from __future__ import annotations

from hashlib import sha256
from json import dumps

from shoal.report import Run
from shoal.report.layout import Locator, problem_text, visible

_SEVERITIES = {"error": "critical", "warning": "major", "info": "info"}


def render(run: Run) -> str:
    locator = Locator(run)
    issues = []
    for finding in run.open:
        found = locator.range(finding.primary)
        issues.append(
            {
                "type": "issue",
                "description": visible(finding.message),
                "check_name": finding.rule,
                "fingerprint": finding.fingerprint,
                "severity": _SEVERITIES[finding.severity],
                "categories": ["Bug Risk"],
                "location": {"path": run.split(finding.primary.path)[1], "lines": {"begin": found.line, "end": found.end_line}},
            }
        )
    for problem in run.problems:
        issues.append(
            {
                "type": "issue",
                "description": visible(problem_text(problem)),
                "check_name": f"shoal-{problem.kind}",
                "fingerprint": sha256(
                    "\0".join((problem.path, problem.kind, problem.message)).encode("utf-8", "surrogateescape")
                ).hexdigest()[:20],
                "severity": "blocker",
                "categories": ["Bug Risk"],
                "location": {"path": run.split(problem.path)[1] or ".", "lines": {"begin": problem.line or 1}},
            }
        )
    return dumps(issues, indent=1) + "\n"
