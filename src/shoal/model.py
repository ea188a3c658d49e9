"""The plain data that crosses module and process borders: sources, spans, findings, fixes, problems.

Everything here is frozen, picklable and made of strings, integers and tuples. `NamedTuple` rather than
`dataclass`: importing `dataclasses` costs 15 ms, a fifth of what a commit hook may take.
"""

from __future__ import annotations

from typing import Any

from shoal.records import NamedTuple

SEVERITIES = ("info", "warning", "error")
CONFIDENCES = ("low", "medium", "high")
# Kinds of problems that the content alone decides about: looked at again, the same content has them again.
LASTING = frozenset({"unparsable"})


class Span(NamedTuple):
    """Half-open range of character offsets into a file's decoded text (a byte-order mark is not counted)."""

    start: int
    end: int


class Place(NamedTuple):
    """Where something stands.

    `role` is `primary`, `related` (the other side of a relation) or `covers` (the whole construct: where a
    suppression comment counts). `label` says in a few words what the place shows; it may be empty.
    """

    path: str
    span: Span
    role: str = "primary"
    label: str = ""


class Edit(NamedTuple):
    """Replace the text at `span` of `path`; an empty span inserts, an empty `new_text` deletes."""

    path: str
    span: Span
    new_text: str


class Fix(NamedTuple):
    """A titled set of edits; `safety` is `safe` (keeps what the job does) or `unsafe` (needs a look)."""

    title: str
    safety: str
    edits: tuple[Edit, ...]


class Status(NamedTuple):
    """`state` is `open`, `suppressed` or `baselined`; `reason` and `where` say who decided that."""

    state: str = "open"
    reason: str = ""
    where: str = ""


OPEN = Status()


class Finding(NamedTuple):
    """One thing that will go wrong. `places[0]` is the primary place; `fingerprint` survives moved lines."""

    rule: str
    message: str
    places: tuple[Place, ...]
    severity: str
    confidence: str
    fixes: tuple[Fix, ...] = ()
    status: Status = OPEN
    fingerprint: str = ""

    @property
    def primary(self) -> Place:
        return self.places[0]


class Problem(NamedTuple):
    """Something shoal could not do. A problem makes the run exit 2, whatever else was found.

    `kind` is one of `unreadable`, `unparsable`, `too-deep`, `too-large`, `rule-crashed`, `rule-failed-to-load`, `reader-crashed`,
    `grouping-crashed`, `worker-died`, `timed-out`, `settings`. `line` is 1-based, 0 when the problem is not in one line. `help` says what to do.
    """

    path: str
    kind: str
    message: str
    line: int = 0
    help: str = ""


class LeftOut(NamedTuple):
    """A file that was deliberately not checked, or not all of it, and why (`generated`, `vendored`, `too-large`, `template`, `partly-read`, …)."""

    path: str
    reason: str
    detail: str = ""


class Source(NamedTuple):
    """A file as it was found. `kind` is set by `classify.classify`; `data` are its raw bytes."""

    path: str
    kind: str
    data: bytes


# What a module asks a YAML or JSON file for that it loads: all that it holds.
DATA = "data"


class Told(NamedTuple):
    """What the other files of a project say about a file (`across.tell`), for a second look at it.

    `constants`: values of names that a Python or Java file imports, and of files that it loads (`file:` and the path that it gives), as (dotted name,
    JSON). `runs`: functions of its own that other files run, with where they run them, as JSON. `wanted`: dotted names that other files take
    from it, or `DATA`. `given`: streams, clients and texts that other files give to functions of its own, as JSON.
    """

    constants: tuple[tuple[str, str], ...] = ()
    runs: tuple[str, ...] = ()
    wanted: tuple[str, ...] = ()
    given: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return any(self)


NOTHING = Told()


class FileResult(NamedTuple):
    """All that one file yields. `facts` hold what job rules need; nothing in here keeps a parse tree alive.

    `told` is what a file was looked at with, None when it was looked at by itself.
    """

    path: str
    findings: tuple[Finding, ...] = ()
    facts: tuple[Any, ...] = ()
    problems: tuple[Problem, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    told: Told | None = None

    @property
    def sure(self) -> bool:
        """Whether the same content would yield the same again, so that this may be remembered."""
        return all(problem.kind in LASTING for problem in self.problems)


def weaker(confidence: str, steps: int = 1) -> str:
    """The confidence `steps` below this one, never under `low`."""
    return CONFIDENCES[max(0, CONFIDENCES.index(confidence) - steps)]
