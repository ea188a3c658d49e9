"""What somebody at a terminal sees while an audit runs: how far it is, and above that the findings in files as they are found."""

from __future__ import annotations

import argparse
import sys
import time
from typing import TYPE_CHECKING

from shoal import baseline
from shoal.commands import common, roots
from shoal.core import conclude
from shoal.host import Outcome, Request, Step, about, check
from shoal.report import concise
from shoal.report.layout import plural

if TYPE_CHECKING:
    from rich.console import Console

# Bytes (a file counts as 2,000 more) from which on findings are shown while an audit runs: below, the report is there before anybody has read them.
LONG = 10_000_000
MOST = 1_000  # findings; a terminal takes a millisecond for each


def watched(request: Request, part: roots.Part, arguments: argparse.Namespace) -> Outcome:
    """Check with a progress bar where somebody looks on."""
    if arguments.quiet or not sys.stderr.isatty():
        return check(request)
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[said]}"), TimeRemainingColumn())
    stream = Stream(request, part)
    # No refresh thread: workers are forked, and a fork takes no other thread along.
    with Progress(*columns, console=Console(stderr=True), transient=True, auto_refresh=False) as bar:
        task = bar.add_task("looking for files", total=None, said="")
        bar.refresh()
        shown = 0.0

        def progress(step: Step) -> None:
            nonlocal shown
            stream.add(step)
            now = time.monotonic()
            if now - shown > 0.1 or step.files == step.all_files:
                shown = now
                stream.show(bar.console)
                said = f"{step.files:,} of {step.all_files:,} files, {step.size / 1e6:,.0f} of {step.whole_size / 1e6:,.0f} MB, "
                said += plural(step.findings, "finding")
                done, whole = _weight(step.size, step.files), _weight(step.whole_size, step.all_files)
                bar.update(task, description="checking", completed=done, total=whole, said=said, refresh=True)

        outcome = check(request, progress)
        stream.show(bar.console)
        return outcome


def _weight(size: int, files: int) -> int:
    """A file costs something, whatever it holds."""
    return size + 2_000 * files


class Stream:
    """Findings in files as lines, judged as the report will judge them: severity, thresholds, suppressions, baseline, changes.

    What only other files can tell is not known yet: findings about jobs come with the report, and what a Python file takes from another module may
    still change what is found in it. So the lines are announced as preliminary.
    """

    def __init__(self, request: Request, part: roots.Part) -> None:
        self._request = request
        self._part = part
        self._nothing = request.rulebook.only(lambda rule: False)
        self._known = roots.baseline_of(part)[0]
        self._waiting: list[str] = []
        self._count = 0

    def add(self, step: Step) -> None:
        """Take note of the findings in a file."""
        if not step.result.findings or self._count > MOST or _weight(step.whole_size, step.all_files) < LONG:
            return
        settings, changes = self._request.settings, self._request.changes
        found, _ = conclude((step.result,), self._nothing, settings, {})
        wanted = [finding for finding in about(found, frozenset((step.result.path,)), settings) if not changes or changes.touch(finding)]
        marked = baseline.mark(wanted, self._known, "")
        whole = roots.together([(self._part, Outcome(marked, (), (), {}, 0, 0))])
        lines = concise.render(common.report_of(whole.outcome, self._part.where, whole.text, "audit", roots=whole.roots)).splitlines()
        if lines and not self._count:
            self._waiting.append("found so far, in single files (what counts is the report at the end):")
        self._count += len(lines)
        self._waiting += lines
        if self._count > MOST:
            self._waiting.append("… and more, in the report at the end")

    def show(self, console: Console) -> None:
        """Print what has been found since the last time."""
        from rich.text import Text

        for line in self._waiting:
            console.print(Text(line), soft_wrap=True, highlight=False)
        self._waiting.clear()
