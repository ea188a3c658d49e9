"""What several commands need: the project they run in, its rules and settings, and where reports go."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from shoal import rulebooks, settings_file
from shoal.cli import UsageError
from shoal.host import Outcome, Request
from shoal.model import Problem
from shoal.records import NamedTuple
from shoal.report import Root, Run, render
from shoal.rulebook import Rulebook
from shoal.settings import Settings
from shoal.text import Decoded

if TYPE_CHECKING:
    from shoal.changes import Changes
# Formats of which several may follow each other on one stream.
_LINES = frozenset({"text", "concise", "github", "markdown"})
_BY_ENDING = {".json": "json", ".sarif": "sarif", ".xml": "junit", ".md": "markdown", ".html": "html", ".htm": "html"}


class Project(NamedTuple):
    """Where a command runs. With `problems` the settings cannot be used, and nothing should be checked. `file` holds them, if any does."""

    root: str
    prefix: str
    settings: Settings
    rulebook: Rulebook
    problems: tuple[Problem, ...]
    file: str = ""


def project(arguments: argparse.Namespace, paths: tuple[str, ...]) -> Project:
    """The project that holds the paths, with what the command line adds to its settings."""
    cwd = os.getcwd()
    located = settings_file.locate(paths, cwd)
    named = getattr(arguments, "config", None)
    where = in_file(arguments, os.path.abspath(named) if named else located.file, settings_file.load_file, located.root)
    base = located.root.rstrip(os.sep) + os.sep
    shown = tuple(problem._replace(path=problem.path.removeprefix(base.replace(os.sep, "/"))) for problem in where.problems)
    return where._replace(prefix=_prefix(located.root, cwd), problems=shown)


def in_file(arguments: argparse.Namespace, file: str, load: settings_file.Load, root: str) -> Project:
    """The project at `root` with the settings that `load(file)` gives, none when `file` is empty, and what the command line adds."""
    remember = not getattr(arguments, "no_cache", False)
    chain, problems = settings_file.read(file, remember, load) if file else ([], [])
    try:
        settings = settings_file.settings_of(chain)
    except (TypeError, ValueError, KeyError, AttributeError):  # not valid; `validate` says where
        settings = Settings()
    rulebook = rulebooks.load(settings, getattr(arguments, "rules", None) or ())
    problems += settings_file.validate(chain, rulebook, remember) if chain else []
    if hasattr(arguments, "fail_on"):
        _policy(arguments, settings)
    return Project(root, "", _with(settings, arguments, rulebook), rulebook, tuple(problems), file)


def _policy(arguments: argparse.Namespace, settings: Settings) -> None:
    """Make sure, before anything is checked, that the run can be judged; the command line counts before the settings."""
    if arguments.fail_on and arguments.exit_zero:
        raise UsageError("--exit-zero and --fail-on contradict each other")
    arguments.fail_on = arguments.fail_on or settings.fail_on
    arguments.known = getattr(arguments, "known", frozenset())
    if not arguments.fail_on and not arguments.against:
        return
    from shoal import failing

    try:
        policy = failing.parse(arguments.fail_on or "info")
        arguments.known = failing.earlier(arguments.against) if arguments.against else arguments.known
    except ValueError as error:
        raise UsageError(str(error)) from error
    if any(condition.new for condition in policy) and not arguments.against:
        raise UsageError("`new` in --fail-on needs the earlier run: --against OLD.json")
    if arguments.against and not any(condition.new for condition in policy):
        raise UsageError("--against goes with --fail-on new")


def _prefix(root: str, cwd: str) -> str:
    """What the working directory is called from the root; ending in `/`, what the root is called from the working directory."""
    if root == cwd:
        return ""
    if cwd.startswith(root.rstrip(os.sep) + os.sep):
        return cwd[len(root.rstrip(os.sep)) + 1 :].replace(os.sep, "/")
    try:
        return os.path.relpath(root, cwd).replace(os.sep, "/") + "/"
    except ValueError:  # another drive
        return root.replace(os.sep, "/") + "/"


def _with(settings: Settings, arguments: argparse.Namespace, rulebook: Rulebook) -> Settings:
    selected, ignored = _names(arguments, "select", rulebook), _names(arguments, "ignore", rulebook)
    if selected:
        settings = settings._replace(select=selected, extend_select=(), ignore=ignored)
    elif ignored:
        settings = settings._replace(ignore=settings.ignore + ignored)
    if severity := getattr(arguments, "severity", None):
        settings = settings._replace(severity=severity, overrides=tuple(item._replace(severity="") for item in settings.overrides))
    if confidence := getattr(arguments, "confidence", None):
        settings = settings._replace(confidence=confidence, overrides=tuple(item._replace(confidence="") for item in settings.overrides))
    if baseline := getattr(arguments, "baseline", None):
        settings = settings._replace(baseline=os.path.abspath(baseline))
    return settings


def _names(arguments: argparse.Namespace, option: str, rulebook: Rulebook) -> tuple[str, ...]:
    given = getattr(arguments, option, None) or []
    names = tuple(name.strip() for text in given for name in text.split(",") if name.strip())
    for name, help in settings_file.strangers(names, rulebook):
        complain(rulebook.problems, "")  # it may be a rule that fails to load
        raise UsageError(f"--{option}: no rule is called {name!r}" + (f"; {help}" if help else "; `shoal rules` lists them"))
    return names


def request(arguments: argparse.Namespace, where: Project, stdin: tuple[str, bytes] | None = None) -> Request:
    paths = tuple(arguments.paths or ([] if stdin else ["."]))
    changes = None
    if getattr(arguments, "changed_since", None):
        from shoal.commands import since

        changes = since.changes(arguments, where, paths)
    return Request(
        paths,
        where.root,
        where.settings,
        where.rulebook,
        stdin,
        arguments.jobs,
        not arguments.no_cache,
        arguments.force_exclude,
        changes=changes,
    )


def report_of(
    outcome: Outcome,
    where: Project,
    text: Callable[[str], Decoded | None],
    command: str,
    seconds: float = 0.0,
    roots: tuple[Root, ...] = (),
    changes: Iterable[Changes] = (),
) -> Run:
    told = list(changes)
    return Run(
        outcome.findings,
        outcome.problems,
        outcome.left_out,
        outcome.files,
        outcome.read,
        where.rulebook,
        text,
        where.root,
        where.prefix,
        command,
        seconds,
        roots,
        changed=sum(len(each.paths) for each in told) if told else None,
        cause=next((each.everything for each in told if each.everything), ""),
    )


def reports_of(arguments: argparse.Namespace) -> list[tuple[str, str]]:
    """The (format, file) pairs that are asked for; a file alone names its format by its ending."""
    pairs = []
    for name, file in arguments.reports or [("text", "")]:
        pairs.append((name or _BY_ENDING.get(os.path.splitext(file)[1].lower(), "text"), file))
    printed = [name for name, file in pairs if not file]
    if len(printed) > 1 and any(name not in _LINES for name in printed):
        raise UsageError(f"{' and '.join(printed)} would be mixed up on standard output; give each but one an --output FILE")
    files = [os.path.abspath(file) for _, file in pairs if file]
    if len(files) != len(set(files)):
        raise UsageError("two reports would be written to the same file")
    if any(name == "html" for name, _ in pairs):
        _need_html()
    return pairs


def _need_html() -> None:
    """Fail before anything is checked when the page could not be made."""
    from importlib.util import find_spec

    from shoal.report.html import PACKAGES

    if missing := [name for name in PACKAGES if find_spec(name) is None]:
        raise UsageError(f"the html report needs more packages ({', '.join(missing)}): pip install 'shoal[report]'")


def publish(run: Run, arguments: argparse.Namespace) -> None:
    """Write the reports; what could not be checked is said on standard error too, unless a report for people says it there and then."""
    pairs = reports_of(arguments)
    printed = [name for name, file in pairs if not file]
    for name, file in pairs:
        if file and name == "sarif":
            from shoal.report import sarif

            stem, ending = os.path.splitext(file)
            for number, text in enumerate(sarif.parts(run), 1):
                write(file if number == 1 else f"{stem}-{number}{ending}", text)
        elif file:
            write(file, render(name, run))
        elif name == "sarif":
            _print_sarif(run)
        elif arguments.quiet and name == "text" and not run.open and not run.problems:
            continue
        elif name == "text" and colours(arguments.color, sys.stdout):
            _print(run)
        else:
            sys.stdout.write(render(name, run))
    sys.stdout.flush()
    if "text" not in printed:  # which says them already
        complain(run.problems, run.prefix, run)
    if arguments.verbose:
        from shoal.report.layout import shown, visible

        for item in run.left_out:
            detail = f": {visible(item.detail)}" if item.detail else ""
            print(f"left out: {visible(shown(run, item.path))}: {item.reason}{detail}", file=sys.stderr)
        print(f"{run.files} files looked at, {run.read} read, {run.seconds:.2f} s", file=sys.stderr)


def _print_sarif(run: Run) -> None:
    """One document, whatever its size: what reads it from a pipe may take it. That code scanning does not is said."""
    from shoal.report import sarif

    parts = sarif.parts(run)
    sys.stdout.write(parts[0] if len(parts) == 1 else sarif.render(run))
    if len(parts) > 1:
        print(
            f"shoal: GitHub's code scanning shows {sarif.MOST_RESULTS:,} results of a run and takes {sarif.MOST_BYTES // 10**6} MB: "
            f"this is more ({len(run.findings):,} results); with --output FILE it is split into {len(parts)} files",
            file=sys.stderr,
        )


def complain(problems: tuple[Problem, ...], prefix: str, run: Run | None = None) -> None:
    """Problems on standard error, a line each; those of a run may stand in git trees."""
    if not problems:
        return
    from shoal.report.layout import problem_text, relative, shown, visible

    for problem in problems:
        where = visible(shown(run, problem.path) if run else relative(problem.path, prefix)) + (f":{problem.line}" if problem.line else "")
        print(f"shoal: problem[{problem.kind}]: {where + ': ' if where else ''}{visible(problem_text(problem))}", file=sys.stderr)


def colours(wish: str, stream: object) -> bool:
    """Whether to write colour: `always`, `never`, or on a terminal that wants it."""
    if wish != "auto":
        return wish == "always"
    terminal = bool(getattr(stream, "isatty", lambda: False)())
    return terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def piped(named: str, where: Project) -> tuple[str, bytes]:
    """Root-relative path and bytes of what comes by a pipe. Raises UsageError where that is too much."""
    path = os.path.relpath(os.path.abspath(named), where.root).replace(os.sep, "/")
    limit = where.settings.max_file_size
    data = sys.stdin.buffer.read(limit + 1)
    if len(data) > limit:
        raise UsageError(f"standard input holds more than the {limit} bytes that max-file-size allows")
    return path, data


def _print(run: Run) -> None:
    from rich.console import Console

    from shoal.report.text import print_run

    print_run(run, Console(file=sys.stdout, force_terminal=True, no_color=False, highlight=False))


def write(file: str, text: str) -> None:
    with writing(file), open(file, "w", encoding="utf-8", errors="backslashreplace", newline="\n") as sink:
        sink.write(text)


@contextmanager
def writing(file: str) -> Iterator[None]:
    """A file that cannot be written ends the command, with one line that says so."""
    try:
        yield
    except OSError as error:
        raise UsageError(f"cannot write {file}: {error.strerror}") from error
