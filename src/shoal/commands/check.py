"""`shoal check`."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
import time

from shoal.cli import CLEAN, FINDINGS, PROBLEMS, UsageError
from shoal.commands import common
from shoal.host import Outcome, Request, Texts, check
from shoal.report import Run


def run(arguments: argparse.Namespace) -> int:
    began = time.monotonic()
    common.reports_of(arguments)
    if arguments.unsafe_fixes and not (arguments.fix or arguments.diff):
        raise UsageError("--unsafe-fixes goes with --fix or --diff")
    named = arguments.stdin_filename
    if "-" in arguments.paths:
        arguments.paths.remove("-")
        if not named:
            raise UsageError("- needs --stdin-filename, to know what kind of file it is")
    where = common.project(arguments, tuple(arguments.paths) or ((named,) if named else ()))
    if where.problems:
        outcome = Outcome((), where.problems, (), {}, 0, 0)
        texts = Texts(Request((), where.root, where.settings, where.rulebook))
        return _finish(common.report_of(outcome, where, texts.decoded, "check"), arguments)
    stdin = common.piped(named, where) if named else None
    request = common.request(arguments, where, stdin)
    outcome = check(request)
    texts = Texts(request)
    outcome = known(outcome, where)
    if arguments.fix or arguments.diff:
        from shoal.commands import fixing

        fixed = fixing.fix(outcome, request, where, arguments)
        if fixed.stop is not None:
            return fixed.stop
        outcome, texts = fixed.outcome, fixed.texts
    report = common.report_of(
        outcome, where, texts.decoded, "check", time.monotonic() - began, changes=[request.changes] if request.changes else []
    )
    if arguments.fix and stdin and not arguments.diff:  # standard output is the fixed text's
        with contextlib.redirect_stdout(sys.stderr):
            return _finish(report, arguments)
    return _finish(report, arguments)


def known(outcome: Outcome, where: common.Project) -> Outcome:
    """The outcome with the findings of the baseline marked."""
    if not where.settings.baseline:
        return outcome
    from shoal import baseline

    book, problem = baseline.read(where.settings.baseline)
    if problem:
        return outcome._replace(problems=(*outcome.problems, problem))
    return outcome._replace(findings=baseline.mark(outcome.findings, book, os.path.basename(where.settings.baseline)))


def _finish(report: Run, arguments: argparse.Namespace) -> int:
    if getattr(arguments, "statistics", False):
        _statistics(report, arguments)
    else:
        common.publish(report, arguments)
    return code(report, arguments)


def code(report: Run, arguments: argparse.Namespace) -> int:
    if report.problems:
        return PROBLEMS
    if not report.open or arguments.exit_zero:
        return CLEAN
    policy = getattr(arguments, "fail_on", None)
    if not policy:
        return FINDINGS
    from shoal import failing

    stopping = failing.stopping(failing.parse(policy), report.open, arguments.known)
    return failed(len(stopping), len(report.open), arguments)


def failed(stopping: int, found: int, arguments: argparse.Namespace) -> int:
    """The exit code when so many of the open findings meet the policy."""
    if stopping and not arguments.quiet:
        print(f"shoal: {stopping:,} of {found:,} findings meet fail-on {arguments.fail_on}", file=sys.stderr)
    return FINDINGS if stopping else CLEAN


def _statistics(report: Run, arguments: argparse.Namespace) -> None:
    """Counts by rule instead of the findings."""
    counts: dict[str, list[int]] = {}
    for finding in report.open:
        row = counts.setdefault(finding.rule, [0, 0])
        row[0] += 1
        row[1] += any(fix.safety == "safe" for fix in finding.fixes)
    rows = sorted(counts.items(), key=lambda item: (-item[1][0], item[0]))
    for name, file in common.reports_of(arguments):
        if name == "json":
            import json

            text = json.dumps([{"rule": rule, "findings": found, "fixable": fixable} for rule, (found, fixable) in rows], indent=1) + "\n"
        else:
            text = "".join(
                f"{found:>7,}  {rule}{f'  ({fixable:,} with a safe fix)' if fixable else ''}\n" for rule, (found, fixable) in rows
            )
            text += f"{sum(found for found, _ in counts.values()):>7,}  in all\n"
        if file:
            common.write(file, text)
        else:
            sys.stdout.write(text)
    common.complain(report.problems, report.prefix)
