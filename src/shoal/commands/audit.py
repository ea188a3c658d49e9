"""`shoal audit`: the whole tree, summed up."""

from __future__ import annotations

import argparse
import sys
import time

from shoal.cli import UsageError
from shoal.commands import check as checking
from shoal.commands import common, roots
from shoal.host import Outcome, Progress, Request, Step, check
from shoal.report import Past, Run
from shoal.report.layout import plural


def run(arguments: argparse.Namespace) -> int:
    began = time.monotonic()
    if arguments.paths[:1] == ["diff"] and len(arguments.paths) == 3:  # a folder of that name can be called ./diff
        from shoal.commands import audit_diff

        if arguments.report:
            raise UsageError("--report is of an audit; audit diff writes text, json and markdown")
        return audit_diff.run(arguments, *arguments.paths[1:])
    if arguments.report:
        if not arguments.report.lower().endswith((".html", ".htm")):
            raise UsageError(f"--report writes a page: {arguments.report} should end in .html (other formats: --format NAME --output FILE)")
        arguments.reports = [*(arguments.reports or [("text", "")]), ("html", arguments.report)]
    common.reports_of(arguments)
    if arguments.engine == "spark":
        if arguments.changed_since:
            raise UsageError("--changed-since goes with --engine local")
        if arguments.history:
            raise UsageError("--history goes with --engine local; with --tables, the table `runs` has what it has")
        if arguments.fail_on and arguments.tables and not arguments.reports:
            raise UsageError("--fail-on needs the findings: ask for a --format")
        from shoal.commands import audit_spark

        return audit_spark.run(arguments)
    if arguments.table or arguments.repositories or arguments.tables or arguments.spark_conf:
        raise UsageError("--table, --repositories, --tables and --spark-conf go with --engine spark")
    past = _past(arguments.history)
    parts = roots.parts(arguments)
    done = [(part, _outcome(part, arguments)) for part in parts]
    whole = roots.together(done)
    report = common.report_of(whole.outcome, parts[0].where, whole.text, "audit", time.monotonic() - began, whole.roots, whole.changed)
    if arguments.history:
        report = _remember(report, past, arguments.history)
    common.publish(report, arguments)
    return checking.code(report, arguments)


def _past(file: str | None) -> tuple[Past, ...]:
    if not file:
        return ()
    from shoal.report import history

    try:
        return history.read(file)
    except OSError as error:
        raise UsageError(f"cannot read {file}: {error.strerror}") from error
    except ValueError as error:
        raise UsageError(str(error)) from error


def _remember(report: Run, past: tuple[Past, ...], file: str) -> Run:
    """The run with its history. One that could not look at everything is shown and not kept: it would look like progress."""
    from shoal.report import history

    runs = (*past, history.of(report))
    if not report.problems and report.changed is None:
        try:
            history.write(file, runs)
        except OSError as error:
            raise UsageError(f"cannot write {file}: {error.strerror}") from error
    return report._replace(history=runs)


def _outcome(part: roots.Part, arguments: argparse.Namespace) -> Outcome:
    if part.request is None:
        return Outcome((), part.where.problems, (), {}, 0, 0)
    return roots.known(_watched(part.request, arguments), part)


def _watched(request: Request, arguments: argparse.Namespace) -> Outcome:
    """Check with a progress bar where somebody looks on."""
    if arguments.quiet or not sys.stderr.isatty():
        return check(request)
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[said]}"), TimeRemainingColumn())
    # No refresh thread: workers are forked, and a fork takes no other thread along.
    with Bar(*columns, console=Console(stderr=True), transient=True, auto_refresh=False) as bar:
        task = bar.add_task("looking for files", total=None, said="")
        bar.refresh()
        shown = 0.0

        def progress(step: Step) -> None:
            nonlocal shown
            now = time.monotonic()
            if now - shown > 0.1 or step.files == step.all_files:
                shown = now
                said = f"{step.files:,} of {step.all_files:,} files, {step.size / 1e6:,.0f} of {step.whole_size / 1e6:,.0f} MB, "
                said += plural(step.findings, "finding")
                # a file costs something, whatever it holds
                done, whole = step.size + 2_000 * step.files, step.whole_size + 2_000 * step.all_files
                bar.update(task, description="checking", completed=done, total=whole, said=said, refresh=True)

        watching: Progress = progress
        return check(request, watching)
