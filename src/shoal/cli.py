"""The command line: what can be asked, and which command answers."""

from __future__ import annotations

import argparse
import contextlib
import gc
import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, NoReturn

from shoal import __version__
from shoal.model import CONFIDENCES, SEVERITIES

CLEAN, FINDINGS, PROBLEMS = 0, 1, 2
FORMATS = ("text", "concise", "json", "sarif", "github", "gitlab", "junit", "markdown", "html")

# Commands whose exit code says what was found; of the others, who has read enough of what they print (`| head`) has what was wanted.
_JUDGING = frozenset({"check", "audit", "baseline", "upgrade"})


class UsageError(Exception):
    """What was asked for makes no sense; the message says what does."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command. 0: clean, 1: findings, 2: problems or usage."""
    gc.set_threshold(1_000_000, 20, 20)  # most of what is made here lives to the end; looking it through takes a tenth of a short run
    given = list(sys.argv[1:] if argv is None else argv)
    arguments = parser(given[0] if given and given[0] in _COMMANDS else "").parse_args(given)
    for name, flags, mode in (("stdin", os.O_RDONLY, "r"), ("stdout", os.O_WRONLY, "w"), ("stderr", os.O_WRONLY, "w")):
        if getattr(sys, name) is None:  # closed by who started us: what is said there goes nowhere, the exit code remains
            setattr(sys, name, os.fdopen(os.open(os.devnull, flags), mode))
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a file name need not be text that the terminal can show
            stream.reconfigure(errors="backslashreplace")
    try:
        _stand_somewhere()
        code = int(import_module(f"shoal.commands.{arguments.command}").run(arguments))
        sys.stdout.flush()
        return code
    except UsageError as error:
        print(f"shoal: {error}", file=sys.stderr)
        return PROBLEMS
    except KeyboardInterrupt:
        print("shoal: stopped", file=sys.stderr)
        return 130
    except OSError as error:  # a report that cannot be written, a folder that went away; a reader of our output that did needs no word
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what is left in the buffer must not fail again
        if isinstance(error, BrokenPipeError):
            return PROBLEMS if arguments.command in _JUDGING else CLEAN
        print(f"shoal: {error}", file=sys.stderr)
        return PROBLEMS
    except Exception as error:  # our own failure must not look like findings, which is what Python's exit code 1 says
        import traceback

        if os.environ.get("SHOAL_DEBUG"):
            traceback.print_exc()
        where = traceback.extract_tb(error.__traceback__)[-1]
        print(f"shoal: a mistake in shoal itself: {type(error).__name__}: {error} ({where.filename}:{where.lineno})", file=sys.stderr)
        print("shoal: please report it; with SHOAL_DEBUG=1 in the environment the whole trace is shown", file=sys.stderr)
        return PROBLEMS


def _stand_somewhere() -> None:
    try:
        os.getcwd()
    except OSError as error:
        raise UsageError(f"the working directory cannot be used, it may be gone ({error.strerror}): change to another one") from error


def program() -> NoReturn:
    """What the command `shoal` is: `main`, and away, without taking apart what it made, a tenth of a short run."""
    _names_as_utf_8()
    code = main()
    if "pyspark" in sys.modules:  # it may have asked to be told of the end
        sys.exit(code)
    with contextlib.suppress(OSError):  # `main` has said so
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(code)


def _names_as_utf_8() -> None:
    """Begin again in UTF-8 mode where Python takes file names for another encoding's, as under LC_ALL=en_US.ISO-8859-1.

    Git and what is remembered have names in UTF-8: under two encodings a file goes by two names, and is not found by one of them.
    """
    if sys.getfilesystemencoding().lower() == "utf-8" or not sys.executable:
        return
    if sys.stdout is not None:
        os.environ.setdefault("PYTHONIOENCODING", sys.stdout.encoding)  # what the terminal shows is the locale's as before
    os.execv(sys.executable, [sys.executable, "-X", "utf8", *sys.orig_argv[1:]])


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


def _engine(command: argparse.ArgumentParser, changes: bool = False) -> None:
    group = command.add_argument_group("what is checked")
    _choice(group)
    group.add_argument("--severity", choices=SEVERITIES, help="the least severity that is reported (default info)")
    group.add_argument("--confidence", choices=CONFIDENCES, help="the least confidence that is reported (default low)")
    group.add_argument("--baseline", metavar="FILE", help="the known findings that do not count")
    group.add_argument("--force-exclude", action="store_true", help="leave out ignored and excluded files even when they are named")
    if changes:
        group.add_argument("--changed-since", metavar="REV", help="report only what the changes since the work left REV can have caused")
        group.add_argument(
            "--fail-on",
            metavar="POLICY",
            help="exit with 1 only for these: SEVERITY[:CONFIDENCE], new[:SEVERITY[:CONFIDENCE]], never; commas between (default: any finding)",
        )
        group.add_argument("--against", metavar="FILE", help="the earlier run (its JSON report) or baseline that `new` is measured by")
    group = command.add_argument_group("how")
    group.add_argument("-j", "--jobs", type=_jobs, default=0, metavar="N", help="worker processes (default: as many as pay off)")
    group.add_argument("--no-cache", action="store_true", help="remember nothing, and use nothing that was remembered")


def _jobs(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 512:
        raise argparse.ArgumentTypeError(f"{text!r} is no number from 1 to 512")
    return int(text)


class Help(argparse.HelpFormatter):
    """Help as wide as the terminal. argparse asks for the width with every option, through an import that costs 2 ms."""

    def __init__(self, prog: str, **options: Any) -> None:
        try:
            width = os.get_terminal_size().columns - 2
        except OSError:
            width = 110
        super().__init__(prog, width=max(40, min(width, 130)), max_help_position=32)


def parser(only: str = "") -> argparse.ArgumentParser:
    """The parser of the whole command line, or of one command: each costs a millisecond to build."""
    top = argparse.ArgumentParser(
        prog="shoal",
        description="Reads the configs and the source of streaming jobs, and says what will make them stall, lose data, double data, or refuse to stop.",
        epilog="Exit codes: 0 clean, 1 findings, 2 something could not be checked, or a wrong command line.",
        formatter_class=Help,
    )
    top.add_argument("--version", action="version", version=f"shoal {__version__}")
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, (help, build) in _COMMANDS.items():
        if only in ("", name):
            build(commands.add_parser(name, help=help, formatter_class=Help))
    return top


def _check(command: argparse.ArgumentParser) -> None:
    command.description = "Check files and folders, or what comes in by a pipe."
    _paths(command)
    command.add_argument("--stdin-filename", metavar="FILE", help="check standard input as if it were this file")
    command.add_argument("--fix", action="store_true", help="write the safe fixes")
    command.add_argument("--unsafe-fixes", action="store_true", help="with --fix or --diff, also the fixes that need a look")
    command.add_argument("--diff", action="store_true", help="show what the fixes would change, and write nothing")
    command.add_argument("--statistics", action="store_true", help="only count: findings by rule")
    _reporting(command)
    _engine(command, changes=True)


def _audit(command: argparse.ArgumentParser) -> None:
    command.description = (
        "Check a whole tree, and sum up by rule, engine and folder. `audit diff OLD.json NEW.json` says what is new, fixed and remaining "
        "between two runs that were written with --format json."
    )
    _paths(command)
    _reporting(command)
    command.add_argument(
        "--history", metavar="FILE.jsonl", help="add this run's counts to that file, and show the runs in it on the page of --report"
    )
    command.add_argument(
        "--report", metavar="FILE.html", help="also write one page for people: charts, filters, search, every finding with its source"
    )
    _engine(command, changes=True)
    group = command.add_argument_group("on Spark (docs/spark.md)")
    group.add_argument("--engine", choices=("local", "spark"), default="local", help="who does the work (default %(default)s)")
    group.add_argument("--table", metavar="FORMAT:NAME", help="audit a table with the columns repo, path and content instead of folders")
    group.add_argument("--repositories", metavar="FILE", help="audit git repositories, one path[@revision] a line")
    group.add_argument(
        "--tables", metavar="DIR", help="write the tables files, facts, findings, problems, jobs and runs there, and reuse what they know"
    )
    group.add_argument("--tables-format", choices=("parquet", "delta"), default="parquet", help="of those tables (default %(default)s)")
    group.add_argument(
        "--spark-conf", action="append", metavar="KEY=VALUE", help="a setting of the session (spark.master, spark.remote, …)"
    )


def _baseline(command: argparse.ArgumentParser) -> None:
    command.description = "Write the baseline: the findings that are known and do not count. It only shrinks, unless --add is given."
    _paths(command)
    command.add_argument("--add", action="store_true", help="also accept findings that are new")
    _engine(command)


def _rules(command: argparse.ArgumentParser) -> None:
    command.description = "List the rules."
    command.add_argument("--format", choices=("text", "json"), default="text", help="how to list them (default %(default)s)")
    _choice(command)


def _explain(command: argparse.ArgumentParser) -> None:
    command.description = "Show a rule's page: what it finds, why it hurts, how to fix it, when to ignore it."
    command.add_argument("rule", metavar="RULE", help="a rule id")
    command.add_argument("-a", "--all", action="store_true", help="with all examples, of which there may be many")
    _color(command)
    _choice(command, selecting=False)


def _facts(command: argparse.ArgumentParser) -> None:
    command.description = "Show what is read out of a file, and from where: how to find out why a rule did or did not speak."
    command.add_argument("file", metavar="FILE", help="a file, or - for standard input with --stdin-filename")
    command.add_argument("--stdin-filename", metavar="FILE", help="read standard input as if it were this file")
    command.add_argument("--format", choices=("text", "json"), default="text", help="how to show them (default %(default)s)")
    command.add_argument("--config", metavar="FILE", help="settings file to use")


def _jobs_command(command: argparse.ArgumentParser) -> None:
    command.description = (
        "Show every job: its files and why each belongs, its engine and version, and what is in force with where that comes from."
    )
    _paths(command)
    command.add_argument("--format", choices=("text", "json"), default="text", help="how to show them (default %(default)s)")
    command.add_argument("--graph", action="store_true", help="draw them as a Mermaid flowchart, with the findings marked")
    _choice(command)
    command.add_argument("-j", "--jobs", type=_jobs, default=0, metavar="N", help="worker processes (default: as many as pay off)")
    command.add_argument("--no-cache", action="store_true", help="remember nothing, and use nothing that was remembered")


def _option(command: argparse.ArgumentParser) -> None:
    command.description = "Say what an option of an engine is: its type, default and values, what became of it from version to version, and where the project sets it."
    command.add_argument("key", metavar="KEY", help="an option's name, old or new")
    _paths(command)
    command.add_argument(
        "--engine", metavar="NAME", help="only this one: flink, spark, kafka, kafka-connect, librdkafka, beam, flink-table:CONNECTOR …"
    )
    command.add_argument("--version", metavar="VERSION", help="as that version has it (default: the newest)")
    command.add_argument("--format", choices=("text", "json"), default="text", help="how to show it (default %(default)s)")
    _reading(command)
    plain = command.parse_known_args

    def parse(arguments: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        """argparse leaves positionals over that stand behind an option when others stood before it."""
        found, rest = plain(arguments, namespace)
        found.paths += [word for word in rest if not word.startswith("-")]
        return found, [word for word in rest if word.startswith("-")]

    setattr(command, "parse_known_args", parse)  # noqa: B010 - a method of this one parser


def _upgrade(command: argparse.ArgumentParser) -> None:
    command.description = (
        "Show every change that a move to another version of an engine needs, make those that are edits of configs, and name the others."
    )
    _paths(command)
    command.add_argument("--to", required=True, metavar="ENGINE-VERSION", help="where to: flink-2.3, spark-4.0, kafka-4.0")
    command.add_argument("--fix", action="store_true", help="make the changes that are edits")
    command.add_argument("--diff", action="store_true", help="show those edits, and write nothing")
    _reporting(command)
    _reading(command)


def _reading(command: argparse.ArgumentParser) -> None:
    command.add_argument("--config", metavar="FILE", help="settings file to use instead of the one that is found")
    command.add_argument("-j", "--jobs", type=_jobs, default=0, metavar="N", help="worker processes (default: as many as pay off)")
    command.add_argument("--no-cache", action="store_true", help="remember nothing, and use nothing that was remembered")


def _server(command: argparse.ArgumentParser) -> None:
    command.description = "Speak the language server protocol over standard input and output; started by editors."
    command.add_argument("--stdio", action="store_true", help="what it does anyway; some editors insist on saying so")


def _init(command: argparse.ArgumentParser) -> None:
    command.description = "Write a commented settings file."
    command.add_argument("--pyproject", action="store_true", help="add a section to pyproject.toml instead of writing shoal.toml")


def _completion(command: argparse.ArgumentParser) -> None:
    command.description = "Print a completion script for a shell."
    command.add_argument("shell", choices=("bash", "zsh", "fish", "tcsh"), help="which shell")


# Each is answered by the module of its name in `shoal.commands`.
_COMMANDS: dict[str, tuple[str, Callable[[argparse.ArgumentParser], None]]] = {
    "check": ("check files and folders", _check),
    "audit": ("check a whole tree and sum up", _audit),
    "baseline": ("accept today's findings, so that only new ones count", _baseline),
    "rules": ("list the rules", _rules),
    "explain": ("say what a rule finds, why it hurts and how to fix it", _explain),
    "facts": ("show what is read out of a file", _facts),
    "jobs": ("show which files make one job", _jobs_command),
    "option": ("say what an option is and where it is set", _option),
    "upgrade": ("show, or make, what a move to another version needs", _upgrade),
    "init": ("write a commented settings file", _init),
    "server": ("serve an editor (language server)", _server),
    "completion": ("print shell completion", _completion),
}
