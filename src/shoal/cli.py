"""The command line: what can be asked, and which command answers."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any

from shoal import __version__
from shoal.model import CONFIDENCES, SEVERITIES

CLEAN, FINDINGS, PROBLEMS = 0, 1, 2
FORMATS = ("text", "json", "sarif", "github", "gitlab", "junit", "markdown")


class UsageError(Exception):
    """What was asked for makes no sense; the message says what does."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command. 0: clean, 1: findings, 2: problems or usage."""
    arguments = parser().parse_args(argv)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a file name need not be text that the terminal can show
            stream.reconfigure(errors="backslashreplace")
    try:
        code = int(import_module(f"shoal.commands.{arguments.command}").run(arguments))
        sys.stdout.flush()
        return code
    except UsageError as error:
        print(f"shoal: {error}", file=sys.stderr)
        return PROBLEMS
    except KeyboardInterrupt:
        print("shoal: stopped", file=sys.stderr)
        return 130
    except BrokenPipeError:  # the reader of our output went away
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return PROBLEMS
    except Exception:  # our own failure must not look like findings, which is what Python's exit code 1 says
        import traceback

        traceback.print_exc()
        print("shoal: this is a mistake in shoal; please report it with the lines above", file=sys.stderr)
        return PROBLEMS


class Report(argparse.Action):
    """Collects (format, file) pairs: an --output belongs to the --format before it."""

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any, option_string: str | None = None
    ) -> None:
        reports: list[tuple[str, str]] = list(getattr(namespace, self.dest) or [])
        if option_string in ("-o", "--output"):
            if reports and not reports[-1][1]:
                reports[-1] = (reports[-1][0], values)
            else:
                reports.append(("", values))
        else:
            for name in values.split(","):
                if name not in FORMATS:
                    raise argparse.ArgumentError(self, f"no format is called {name!r} (there are {', '.join(FORMATS)})")
                reports.append((name, ""))
        setattr(namespace, self.dest, reports)


def parser() -> argparse.ArgumentParser:
    """The parser of the whole command line."""
    top = argparse.ArgumentParser(
        prog="shoal",
        description="Reads the configs and the source of streaming jobs, and says what will make them stall, lose data, double data, or refuse to stop.",
        epilog="Exit codes: 0 clean, 1 findings, 2 something could not be checked, or a wrong command line.",
    )
    top.add_argument("--version", action="version", version=f"shoal {__version__}")
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")

    check = commands.add_parser("check", help="check files and folders", description="Check files and folders, or what comes in by a pipe.")
    _paths(check)
    check.add_argument("--stdin-filename", metavar="FILE", help="check standard input as if it were this file")
    check.add_argument("--fix", action="store_true", help="write the safe fixes")
    check.add_argument("--unsafe-fixes", action="store_true", help="with --fix or --diff, also the fixes that need a look")
    check.add_argument("--diff", action="store_true", help="show what the fixes would change, and write nothing")
    check.add_argument("--statistics", action="store_true", help="only count: findings by rule")
    _reporting(check)
    _engine(check)

    audit = commands.add_parser(
        "audit", help="check a whole tree and sum up", description="Check a whole tree, and sum up by rule, engine and folder."
    )
    _paths(audit)
    _reporting(audit)
    _engine(audit)

    baseline = commands.add_parser(
        "baseline",
        help="accept today's findings, so that only new ones count",
        description="Write the baseline: the findings that are known and do not count. An existing baseline only shrinks, unless --add is given.",
    )
    _paths(baseline)
    baseline.add_argument("--add", action="store_true", help="also accept findings that are new")
    _engine(baseline)

    rules = commands.add_parser("rules", help="list the rules", description="List the rules.")
    rules.add_argument("--format", choices=("text", "json"), default="text", help="how to list them (default %(default)s)")
    _choice(rules)

    explain = commands.add_parser(
        "explain", help="say what a rule finds, why it hurts and how to fix it", description="Show a rule's page."
    )
    explain.add_argument("rule", metavar="RULE", help="a rule id")
    _color(explain)
    _choice(explain, selecting=False)

    facts = commands.add_parser(
        "facts",
        help="show what is read out of a file",
        description="Show what is read out of a file, and from where: how to find out why a rule did or did not speak.",
    )
    facts.add_argument("file", metavar="FILE", help="a file, or - for standard input with --stdin-filename")
    facts.add_argument("--stdin-filename", metavar="FILE", help="read standard input as if it were this file")
    facts.add_argument("--format", choices=("text", "json"), default="text", help="how to show them (default %(default)s)")
    facts.add_argument("--config", metavar="FILE", help="settings file to use")

    jobs = commands.add_parser(
        "jobs",
        help="show which files make one job",
        description="Show every job: its files and why each belongs, its engine and version, and what is in force with where that comes from.",
    )
    _paths(jobs)
    jobs.add_argument("--format", choices=("text", "json"), default="text", help="how to show them (default %(default)s)")
    jobs.add_argument("--graph", action="store_true", help="draw them as a Mermaid flowchart, with the findings marked")
    _choice(jobs)
    jobs.add_argument("-j", "--jobs", type=_jobs, default=0, metavar="N", help="worker processes (default: as many as pay off)")
    jobs.add_argument("--no-cache", action="store_true", help="remember nothing, and use nothing that was remembered")

    init = commands.add_parser("init", help="write a commented settings file", description="Write a commented settings file.")
    init.add_argument("--pyproject", action="store_true", help="add a section to pyproject.toml instead of writing shoal.toml")

    server = commands.add_parser(
        "server",
        help="serve an editor (language server)",
        description="Speak the language server protocol over standard input and output; started by editors.",
    )
    server.add_argument("--stdio", action="store_true", help="what it does anyway; some editors insist on saying so")

    completion = commands.add_parser("completion", help="print shell completion", description="Print a completion script for a shell.")
    completion.add_argument("shell", choices=("bash", "zsh", "fish", "tcsh"), help="which shell")
    return top


def _paths(command: argparse.ArgumentParser) -> None:
    command.add_argument("paths", nargs="*", metavar="PATH", help="files and folders (default: the working directory)")


def _reporting(command: argparse.ArgumentParser) -> None:
    group = command.add_argument_group("reports")
    group.add_argument("--format", dest="reports", action=Report, metavar="FORMAT[,FORMAT]", help=f"{', '.join(FORMATS)} (default text)")
    group.add_argument(
        "-o", "--output", dest="reports", action=Report, metavar="FILE", help="where the report of the --format before it goes"
    )
    _color(group)
    group.add_argument("-q", "--quiet", action="store_true", help="print nothing when there is nothing to report")
    group.add_argument("-v", "--verbose", action="store_true", help="say on standard error what was looked at and what was left out")
    group.add_argument("--exit-zero", action="store_true", help="exit with 0 even when there are findings (problems still exit with 2)")


def _color(command: argparse._ActionsContainer) -> None:
    command.add_argument(
        "--color", choices=("auto", "always", "never"), default="auto", help="colour (default: on a terminal, unless NO_COLOR is set)"
    )


def _choice(command: argparse._ActionsContainer, selecting: bool = True) -> None:
    if selecting:
        command.add_argument(
            "--select", action="append", metavar="RULE", help="only these: ids, globs, engine:NAME, tag:NAME, all; commas between"
        )
        command.add_argument("--ignore", action="append", metavar="RULE", help="not these")
    command.add_argument("--config", metavar="FILE", help="settings file to use instead of the one that is found")
    command.add_argument("--rules", action="append", metavar="DIR", help="a folder of further rules; their check.py is run")


def _engine(command: argparse.ArgumentParser) -> None:
    group = command.add_argument_group("what is checked")
    _choice(group)
    group.add_argument("--severity", choices=SEVERITIES, help="the least severity that is reported (default info)")
    group.add_argument("--confidence", choices=CONFIDENCES, help="the least confidence that is reported (default low)")
    group.add_argument("--baseline", metavar="FILE", help="the known findings that do not count")
    group.add_argument("--force-exclude", action="store_true", help="leave out ignored and excluded files even when they are named")
    group = command.add_argument_group("how")
    group.add_argument("-j", "--jobs", type=_jobs, default=0, metavar="N", help="worker processes (default: as many as pay off)")
    group.add_argument("--no-cache", action="store_true", help="remember nothing, and use nothing that was remembered")


def _jobs(text: str) -> int:
    count = int(text)
    if not 1 <= count <= 512:
        raise argparse.ArgumentTypeError("must be from 1 to 512")
    return count
