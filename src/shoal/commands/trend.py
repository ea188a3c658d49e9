"""`--history FILE`: the counts of earlier audits, to which each run adds its own."""

from __future__ import annotations

from shoal.cli import UsageError
from shoal.commands.common import writing
from shoal.report import Past, Run, history


def read(file: str | None) -> tuple[Past, ...]:
    """The runs so far; said before anything is checked when they cannot be read."""
    if not file:
        return ()
    try:
        return history.read(file)
    except OSError as error:
        raise UsageError(f"cannot read {file}: {error.strerror}") from error
    except ValueError as error:
        raise UsageError(str(error)) from error


def remembered(report: Run, past: tuple[Past, ...], file: str | None) -> Run:
    """The run with its history. One that could not look at everything is shown and not kept: it would look like progress."""
    if not file:
        return report
    runs = (*past, history.of(report))
    if not report.problems and report.changed is None:
        keep(runs, file)
    return report._replace(history=runs)


def keep(runs: tuple[Past, ...], file: str) -> None:
    """Replace a history."""
    with writing(file):
        history.write(file, runs)
