"""The process that reads files for the server. It may die or be killed over any file: the server starts another one.

Requests and answers are pickles behind an 8-byte length, between processes that are both our own.
"""

from __future__ import annotations

import io
import os
import pickle
import sys
from typing import Any, BinaryIO

from shoal import host
from shoal.derive import derive
from shoal.discover import Found
from shoal.fixes import edited, settle
from shoal.model import OPEN, Edit, FileResult, Finding, Place, Source, Span, Status, Told
from shoal.readers import read
from shoal.rulebook import Rulebook
from shoal.settings import Settings
from shoal.suppress import Suppression, apply
from shoal.text import decode, encode
from shoal.wire import pack, unpack

HEADER = 8
_MOST_SETUPS = 8  # one a project; older ones are forgotten


class Setup:
    """What a project's files are checked with. `rulebook` holds only rules that may run."""

    def __init__(self, root: str, settings: Settings, rulebook: Rulebook) -> None:
        self.root = root
        self.settings = settings
        self.rulebook = rulebook.only(settings.ever_enabled)
        self.whole = rulebook


class Worker:
    """Answers requests: (operation, key of the setup, arguments)."""

    def __init__(self) -> None:
        self._setups: dict[str, Setup] = {}

    def answer(self, operation: str, key: str, arguments: tuple[Any, ...]) -> Any:
        if operation == "setup":
            while len(self._setups) >= _MOST_SETUPS:
                del self._setups[next(iter(self._setups))]
            self._setups[key] = Setup(*arguments)
            return None
        return getattr(self, operation)(self._setups[key], *arguments)

    def check(self, setup: Setup, path: str, data: bytes, told: Told | None = None) -> list[Any]:
        """A file's packed result; of a generated file nothing, as in a commit hook. `told`: what other files say about it."""
        found = Found(path, setup.settings.kind(path), (len(data), 0, 0, 0))
        _, result = host.examine(found, data, setup.rulebook, setup.settings, told)
        return pack(result._replace(told=told))

    def read(self, setup: Setup, path: str, data: bytes) -> list[Any]:
        """The packed facts of a text as it stands, whether or not any rule would look at it."""
        return _facts(setup, path, data)

    def probe(self, setup: Setup, path: str, texts: list[bytes], word: str) -> list[Any]:
        """The packed facts of the first of several texts in which `word` is part of a setting; of no facts when there is none."""
        for data in texts:
            found = _facts(setup, path, data)
            for fact in found[1]:
                if fact[0] == "s" and (word in fact[3] or word in (fact[4] if isinstance(fact[4], str) else fact[4][0])):
                    return found
        return pack(FileResult(path))

    def survey(self, setup: Setup, folders: tuple[str, ...]) -> list[tuple[str, list[Any] | None]]:
        """Every file below these folders of the project: (path, packed result or None for nothing found)."""
        outcome = host.check(host.Request(folders, setup.root, setup.settings, setup.whole))
        packed = {path: pack(result) for path, result in outcome.results.items()}
        return [(path, packed.get(path)) for path in outcome.paths]

    def settle(self, setup: Setup, path: str, data: bytes, baselined: set[str], unsafe: bool) -> bytes:
        """The file with every fix that holds when it is read and checked again. Rules about whole jobs are left out: one file is not a job."""
        rulebook = setup.whole.only(lambda rule: rule.scope == "file")
        request = host.Request((), setup.root, setup.settings, rulebook, (path, data), cache=False, context=False)
        outcome = host.check(request)
        known = Status("baselined")
        findings = (finding._replace(status=known) if finding.fingerprint in baselined else finding for finding in outcome.findings)
        settled = settle(outcome._replace(findings=tuple(findings)), request, unsafe)
        return next((change.after for change in settled.changes if change.path == path), data)

    def first(self, setup: Setup, path: str, data: bytes, finding: Finding, candidates: list[Edit]) -> int:
        """The index of the first inserted comment that silences a finding and leaves everything else as it was; else -1."""
        decoded = decode(data)
        before, _ = self._counts(setup, path, data)
        for number, edit in enumerate(candidates):
            after, comments = self._counts(setup, path, encode(edited(decoded.text, [edit]), decoded))
            if after == before and _silences(comments, _moved(finding, edit), setup.rulebook):
                return number
        return -1

    def _counts(self, setup: Setup, path: str, data: bytes) -> tuple[tuple[int, int, int], list[Suppression]]:
        """The counts of a file's findings, problems and facts, and its comments."""
        result = unpack(path, self.check(setup, path, data))
        comments = [fact for fact in result.facts if isinstance(fact, Suppression)]
        return (len(result.findings), len(result.problems), len(result.facts) - len(comments)), comments


def _silences(comments: list[Suppression], finding: Finding, rulebook: Rulebook) -> bool:
    (judged,) = apply([finding], comments, rulebook.only(lambda rule: False), {})
    return judged.status.state == "suppressed"


def _moved(finding: Finding, edit: Edit) -> Finding:
    """The finding after an insertion in its file."""
    by = len(edit.new_text)

    def moved(place: Place) -> Place:
        if place.path != edit.path:
            return place
        start, end = (offset + by if offset >= edit.span.start else offset for offset in place.span)
        return place._replace(span=Span(start, end))

    return finding._replace(places=tuple(map(moved, finding.places)), status=OPEN)


def _facts(setup: Setup, path: str, data: bytes) -> list[Any]:
    kind = setup.settings.kind(path)
    if not kind:
        return pack(FileResult(path))
    reading, _ = read(Source(path, kind, data))
    return pack(FileResult(path, (), tuple(derive(reading.facts)), tuple(reading.problems)))


def serve(source: BinaryIO, sink: BinaryIO) -> None:
    """Answer until the other side is gone. An operation that fails answers with its error, and the next one runs."""
    worker = Worker()
    while len(header := source.read(HEADER)) == HEADER:
        operation, key, arguments = pickle.loads(source.read(int.from_bytes(header, "little")))
        try:
            answer: Any = (True, worker.answer(operation, key, arguments))
        except Exception as error:
            answer = (False, f"{type(error).__name__}: {error}")
        data = pickle.dumps(answer, pickle.HIGHEST_PROTOCOL)
        sink.write(len(data).to_bytes(HEADER, "little") + data)
        sink.flush()


def main() -> None:
    """Serve on standard input and output; whatever else is printed goes to standard error."""
    source = os.fdopen(os.dup(0), "rb")
    sink = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    sys.stdin = io.TextIOWrapper(io.BytesIO())
    serve(source, sink)


def warm() -> None:
    """Load what the first Python file needs, so that it does not wait for it."""
    from shoal.python import parser

    parser.load()
    import shoal.python.facts
    import shoal.python.pieces
    import shoal.python.positions
    import shoal.python.tree

    shoal.python.pieces.keep()
