"""Scripts that end a Flink job and start one again, and whether its state goes along.

`shell_words` passes over control flow. Here it counts: what stands in another branch, or in a function that is called who knows when, does
not follow.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import pairwise
from typing import TYPE_CHECKING

from shoal.lazy import pattern
from shoal.model import Span
from shoal.records import NamedTuple

if TYPE_CHECKING:
    from shoal.readers import Reading

_COMMENT = r"(?<![^\s;&|()])#[^\n]*"
_UNREAD = pattern(rf"{_COMMENT}|'[^']*'|\"(?:[^\"\\]|\\.)*\"|\\[^\n]", re.DOTALL)
_CHARACTER = pattern(r"[^\n]")
_HEREDOC = pattern(r"(?<!<)<<-?[ \t]*['\"\\]?([A-Za-z_]\w*)")
_TOKEN = pattern(r"(;;&?|;&)|((?:function[ \t]+)?[\w:.-]+[ \t]*\(\)|function[ \t]+[\w:.-]+)|([\w./-]+)|([{}();&|!])|\S")
_TARGET = pattern(r"(?m)^[^\s#:=][^#:=\n]*:(?!=)")
# After these a command begins.
_OPENS = frozenset({"if", "elif", "else", "then", "do", "while", "until", "{", "(", ")", ";", "&", "|", "!"})
# Before a command: what runs it where nobody waits for it, or not to its end.
_LETS_GO = pattern(r"\btimeout\b|(?<![\w-])(?:-d|-[it]*d[it]*|--detach(?:ed)?)(?![\w-])")
_BACKGROUND = pattern(r"(?<![&>|])&(?![&>\d])")
_DEEPEST = 50  # branches in one another
_MOST = 200  # commands of one script that are looked at
_CLOSES = {"fi": "if", "esac": "case", "}": "{"}


class Launch(NamedTuple):
    """What a command of Flink's client does with jobs.

    `kind`: `cancel`, `stop` (which leaves a savepoint), `run`, `restore` (a run from a savepoint), or `unknown` (a run of which not all options
    can be seen). `runs` is what a run that waits for its job starts; empty where nobody waits.
    """

    kind: str
    span: Span
    runs: str = ""


class _Frame(NamedTuple):
    kind: str  # `if`, `case`, `{` or `function`
    number: int
    branch: int


def _bare(source: str) -> str:
    """The script without comments, and with something else in the place of here-documents and of what stands in quotes."""
    lines = []
    delimiter = ""
    for line in source.split("\n"):
        here = delimiter
        if here:
            delimiter = "" if line.strip() == here else here
        elif found := _HEREDOC.search(line):
            delimiter = found.group(1)
        lines.append(" " * len(line) if here else line)
    return _UNREAD.sub(lambda found: _CHARACTER.sub(" " if found.group()[0] == "#" else "_", found.group()), "\n".join(lines))


class Flow:
    """In which branches each part of a script stands, and where it ends before its last line."""

    def __init__(self, source: str) -> None:
        self.offsets = [0]
        self.paths: list[tuple[_Frame, ...]] = [()]
        self.ends: list[tuple[int, tuple[_Frame, ...]]] = []
        self.sound = True
        self._number = 0
        self._pending = False  # a function is named, and its body comes next
        begins = True
        at = 0
        for line in _bare(source).split("\n"):
            begins = self._line(line, at, begins)
            at += len(line) + 1
        self.sound = self.sound and not self.paths[-1]

    def _line(self, line: str, at: int, begins: bool) -> bool:
        """Read a line, of which `begins` says whether it starts with a command; whether the next one does."""
        first = begins
        continued = line.rstrip("\r").endswith("\\")
        for found in _TOKEN.finditer(line.rstrip("\r\\")):
            branch, function, word, mark = found.groups()
            text = word or mark or ""
            if branch:
                self._next("case", at + found.start())
            elif function and begins:
                self._pending = True
            elif begins or text in (")", ";"):
                self._command(text, at + found.start(), first)
            begins = bool(branch) or bool(function) or text in _OPENS
            first = first and not text
        return begins or not continued

    def _command(self, text: str, at: int, first: bool) -> None:
        if len(self.paths[-1]) > _DEEPEST:
            self.sound = False
        elif text in ("if", "case", "{"):
            self._number += 1
            self._go(at, (*self.paths[-1], _Frame("function" if text == "{" and self._pending else text, self._number, 0)))
            self._pending = False
        elif text in ("elif", "else"):
            self._next("if", at)
        elif text in _CLOSES:
            wanted = (_CLOSES[text], "function") if text == "}" else (_CLOSES[text],)
            if self.paths[-1] and self.paths[-1][-1].kind in wanted:
                self._go(at, self.paths[-1][:-1])
            else:
                self.sound = False
        elif text in ("exit", "return") and first:
            self.ends.append((at, self.paths[-1]))

    def _next(self, kind: str, at: int) -> None:
        """The next branch of what is open."""
        path = self.paths[-1]
        if path and path[-1].kind == kind:
            self._go(at, (*path[:-1], path[-1]._replace(branch=path[-1].branch + 1)))
        else:
            self.sound = False

    def _go(self, at: int, path: tuple[_Frame, ...]) -> None:
        self.offsets.append(at)
        self.paths.append(path)

    def path(self, at: int) -> tuple[_Frame, ...]:
        return self.paths[bisect_right(self.offsets, at) - 1]

    def follows(self, one: int, other: int) -> bool:
        """Whether a run that comes by `one` may come by `other`, further down, as well."""
        before, after = self.path(one), self.path(other)
        branches = {frame.number: frame.branch for frame in after}
        if any(branches.get(frame.number, frame.branch) != frame.branch for frame in before):
            return False
        if any(frame.kind in ("case", "function") and frame not in after for frame in before):
            return False
        if any(frame.kind == "function" and frame not in before for frame in after):
            return False
        return not any(one < at < other and before[: len(path)] == path for at, path in self.ends)


def read_queued(out: Reading, makefile: bool) -> None:
    """An oddity for each run that waits for its job while another one stands behind it, which never starts where that job has no end."""
    launches = sorted((launch for launch in out.launches[:_MOST] if launch.kind in ("run", "restore", "unknown")), key=lambda one: one.span)
    if len(launches) < 2 or not any(launch.runs for launch in launches):
        return
    starts = [found.start() for found in _TARGET.finditer(out.raw)] if makefile else []
    flow = None if makefile else Flow(out.raw)
    if flow is not None and not flow.sound:
        return
    for run, behind in pairwise(launches):
        if not run.runs or _LETS_GO.search(_line(out.raw, run.span)) or _BACKGROUND.search(out.raw[run.span.end : behind.span.start]):
            continue
        if bisect_right(starts, run.span.start) != bisect_right(starts, behind.span.start):
            continue
        if flow is None or flow.follows(run.span.start, behind.span.start):
            out.oddity("run-waits", run.runs, run.span, related=(out.place(behind.span, "related", "never reached"),))


def _line(source: str, span: Span) -> str:
    """The line up to a command, with those that a backslash joins to it."""
    start = source.rfind("\n", 0, span.start)
    while start > 0 and source[start - 1] == "\\":
        start = source.rfind("\n", 0, start)
    return source[start + 1 : span.start]


def read_redeploys(out: Reading, makefile: bool) -> None:
    """An oddity for each run of a job that comes after another one was ended, and does not take its state."""
    launches = sorted(out.launches[:_MOST], key=lambda launch: launch.span)
    if not any(launch.kind in ("cancel", "stop") for launch in launches) or not any(launch.kind == "run" for launch in launches):
        return
    starts = [found.start() for found in _TARGET.finditer(out.raw)] if makefile else []
    flow = None if makefile else Flow(out.raw)
    if flow is not None and not flow.sound:
        return
    scopes: dict[int, list[Launch]] = {}
    for launch in launches:
        scopes.setdefault(bisect_right(starts, launch.span.start), []).append(launch)
    for scope in scopes.values():
        if any(launch.kind in ("restore", "unknown") for launch in scope):
            continue  # who starts from savepoints elsewhere knows when not to
        first = next((index for index, launch in enumerate(scope) if launch.kind == "run"), len(scope))
        for run in scope[first:]:
            # what is ended after a run is a job of the script's own: a trial
            ended = [one for one in scope[:first] if flow is None or flow.follows(one.span.start, run.span.start)]
            if run.kind == "run" and ended:
                last = ended[-1]
                detail = (
                    "the savepoint that the old one is stopped with is not given to it"
                    if last.kind == "stop"
                    else "the old one is cancelled"
                )
                label = "stopped here" if last.kind == "stop" else "cancelled here"
                out.oddity("redeploy-without-state", "flink run", run.span, detail, related=(out.place(last.span, "related", label),))
