"""Renderers: they know a run's findings and nothing else. One module a format, each with `render(run, …) -> str`."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING

from shoal.model import Finding, LeftOut, Problem
from shoal.records import NamedTuple
from shoal.rulebook import Rulebook
from shoal.text import Decoded

if TYPE_CHECKING:
    from shoal.cells import InCell

FORMATS = ("text", "concise", "json", "sarif", "github", "gitlab", "junit", "markdown", "html")


class Root(NamedTuple):
    """A git tree that was read. `name` is what it was called on the command line, `repository` its absolute path, `commit` its full name."""

    name: str
    repository: str
    commit: str


class Range(NamedTuple):
    """1-based lines and columns in characters; the end column is the one after the last character."""

    line: int
    column: int
    end_line: int
    end_column: int


class Piece(NamedTuple):
    """A line of `length` characters of which `text`, which begins at the 0-based `start`, is all that reports show."""

    number: int
    length: int
    start: int
    text: str


class Positions(NamedTuple):
    """What was worked out where the files are.

    `ranges` of places and of `edits` by (path, start, end); `lines`, what reports show of (path, line);
    `cells`, by (path, start) of a place, where it is in a notebook; `owners` of paths with findings.
    """

    ranges: dict[tuple[str, int, int], Range]
    edits: dict[tuple[str, int, int], Range]
    lines: dict[tuple[str, int], set[Piece]]
    cells: dict[tuple[str, int], InCell]
    owners: dict[str, tuple[str, ...]]

    @classmethod
    def none(cls) -> Positions:
        """Nothing yet."""
        return cls({}, {}, {}, {}, {})


class Past(NamedTuple):
    """An audit as its history keeps it: when (UTC, ISO 8601), its open findings by severity, and the files looked at."""

    time: str
    errors: int
    warnings: int
    notes: int
    files: int


class Run(NamedTuple):
    """All that a report may say.

    Finding paths are relative to `root` (the project: where the settings stand, or the repository's top), with `/`.
    `text` gives a file's decoded text by such a path, None when it can no longer be read. `prefix` is what the working
    directory is called from the root (empty when they are the same): formats for people print paths relative to it.
    `files` were looked at, `read` of them passed the gate. `command` is `check` or `audit`. Paths in git trees (`roots`) start with
    the tree's name and a `/`; `split` tells them apart. With `changed`, findings are only those that so many changed files can have caused;
    `cause` names the settings file whose change can have caused all of them.
    """

    findings: tuple[Finding, ...]
    problems: tuple[Problem, ...]
    left_out: tuple[LeftOut, ...]
    files: int
    read: int
    rulebook: Rulebook
    text: Callable[[str], Decoded | None]
    root: str = ""
    prefix: str = ""
    command: str = "check"
    seconds: float = 0.0
    roots: tuple[Root, ...] = ()
    positions: Positions | None = None
    changed: int | None = None
    cause: str = ""
    history: tuple[Past, ...] = ()

    def split(self, path: str) -> tuple[str, str]:
        """(name of the git tree, path in it); the name is empty for what stands in the project."""
        found = next((root.name for root in self.roots if path.startswith(root.name + "/")), "")
        return found, path[len(found) + 1 :] if found else path

    @property
    def open(self) -> tuple[Finding, ...]:
        return tuple(finding for finding in self.findings if finding.status.state == "open")


def render(format: str, run: Run) -> str:
    """The run in one of FORMATS, as plain text without colour, ending in a newline unless empty."""
    return str(import_module(f"shoal.report.{format}").render(run))
