"""What `shoal check --fix` and `--diff` do with the fixes."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator

from shoal.commands import check as checking
from shoal.commands import common
from shoal.fixes import Change, settle, write
from shoal.host import Outcome, Request, Texts, check
from shoal.records import NamedTuple
from shoal.report.layout import plural, relative, visible
from shoal.text import decode


class Fixed(NamedTuple):
    """The outcome that is left, and the texts that its findings stand in; with `stop` everything is said already."""

    outcome: Outcome
    texts: Texts
    stop: int | None = None


def fix(outcome: Outcome, request: Request, where: common.Project, arguments: argparse.Namespace) -> Fixed:
    settled = settle(outcome, request, arguments.unsafe_fixes)
    for finding in settled.refused:
        place = visible(relative(finding.primary.path, where.prefix))
        print(
            f"shoal: {place}: the fix for {finding.rule} was not kept: with it the file no longer reads, or the finding stays",
            file=sys.stderr,
        )
    what = f"{plural(settled.fixed, 'finding')} in {plural(len(settled.changes), 'file')}"
    if arguments.diff:
        colour = common.colours(arguments.color, sys.stdout)
        for change in settled.changes:
            sys.stdout.writelines(_coloured(line) if colour else line for line in diff(change, where.prefix))
        print(f"shoal: would fix {what}", file=sys.stderr)
        texts = Texts(request)
        arguments.reports = [pair for pair in common.reports_of(arguments) if pair[1]]
        report = common.report_of(outcome, where, texts.decoded, "check")
        if arguments.reports:
            common.publish(report, arguments)
        else:
            common.complain(report.problems, where.prefix)
        return Fixed(outcome, texts, checking.code(report, arguments))
    if request.stdin:
        data = next((change.after for change in settled.changes), request.stdin[1])
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        again = request._replace(stdin=(request.stdin[0], data))
        return Fixed(checking.known(check(again), where), Texts(again))
    if not settled.changes:
        return Fixed(outcome, Texts(request))
    written, problems = write(settled.changes, request.root)
    if written == len(settled.changes):
        print(f"shoal: fixed {what}", file=sys.stderr)
    else:
        print(f"shoal: fixed {written} of {plural(len(settled.changes), 'file')}", file=sys.stderr)
    left = checking.known(check(request), where)  # what stands on disk now, not what was meant to
    return Fixed(left._replace(problems=(*left.problems, *problems)), Texts(request))


def diff(change: Change, prefix: str) -> Iterator[str]:
    """A unified diff of one file, for `git apply` and `patch`."""
    from difflib import unified_diff

    name = visible(relative(change.path, prefix))
    before, after = (
        re.split(r"(?<=\n)(?=.)", decode(data).text, flags=re.DOTALL) if data else [] for data in (change.before, change.after)
    )
    for line in unified_diff(before, after, f"a/{name}", f"b/{name}"):
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def _coloured(line: str) -> str:
    for start, code in (("+++", "1"), ("---", "1"), ("@@", "36"), ("+", "32"), ("-", "31")):
        if line.startswith(start):
            return f"\x1b[{code}m{line.rstrip()}\x1b[0m\n"
    return line
