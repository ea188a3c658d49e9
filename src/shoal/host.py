"""What every host on this machine does: find the files, check them (here or in workers, or remember the answer), conclude."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from shoal import gate
from shoal.core import check_source, conclude
from shoal.discover import Found, discover, reason
from shoal.files import read_bytes
from shoal.model import FileResult, Finding, LeftOut, Problem, Source
from shoal.readers import READERS
from shoal.rulebook import Rulebook
from shoal.settings import Settings
from shoal.suppress import Suppression
from shoal.text import Decoded, decode


class Request(NamedTuple):
    """What to check. `root` is the project's absolute folder; `stdin` are the path and bytes of a file that comes by a pipe."""

    paths: tuple[str, ...]
    root: str
    settings: Settings
    rulebook: Rulebook
    stdin: tuple[str, bytes] | None = None
    workers: int = 0
    cache: bool = True
    force_exclude: bool = False


class Outcome(NamedTuple):
    """`results` are by path, ordered; `files` were looked at, `read` of them passed the gate."""

    findings: tuple[Finding, ...]
    problems: tuple[Problem, ...]
    left_out: tuple[LeftOut, ...]
    results: dict[str, FileResult]
    files: int
    read: int


class Looked(NamedTuple):
    """One file looked at: whether it passed the gate, and what it yields."""

    path: str
    read: bool
    result: FileResult


Progress = Callable[[int, int], None]


def check(request: Request, progress: Progress | None = None) -> Outcome:
    """Look at everything a request names."""
    rulebook = request.rulebook.only(request.settings.ever_enabled)
    left_out: list[LeftOut] = []
    problems: list[Problem] = list(rulebook.problems)
    looked: list[Looked] = []
    if request.stdin:
        path, data = request.stdin
        looked.append(examine(Found(path, request.settings.kind(path), (len(data), 0, 0, 0), True), request.root, rulebook, request.settings, data))
    if request.paths:
        discovery = discover(request.paths, request.root, request.settings, request.force_exclude)
        left_out += discovery.left_out
        problems += discovery.problems
        looked += [examine(found, request.root, rulebook, request.settings) for found in discovery.found]
    results = {item.path: item.result for item in looked}
    left_out += [item for result in results.values() for item in result.left_out]
    findings, more = conclude(results.values(), rulebook, request.settings, Texts(request))
    return Outcome(
        tuple(finding for finding in findings if request.settings.reports(finding)),
        tuple(sorted(set(problems + more))),
        tuple(sorted(set(left_out))),
        results,
        len(looked),
        sum(item.read for item in looked),
    )


def examine(found: Found, root: str, rulebook: Rulebook, settings: Settings, data: bytes | None = None) -> Looked:
    """Read one file and check it."""
    path = found.path
    if data is None:
        try:
            data = read_bytes(os.path.join(root, path), settings.max_file_size)
        except OSError as error:
            return Looked(path, False, FileResult(path, problems=(Problem(path, "unreadable", reason(error)),)))
    if found.kind not in READERS or not gate.passes(found.kind, data, rulebook.engines):
        return Looked(path, False, FileResult(path))
    if not found.named and (why := gate.left_out(found.kind, data)):
        return Looked(path, False, FileResult(path, left_out=(LeftOut(path, why),)))
    return Looked(path, True, check_source(Source(path, found.kind, data), rulebook, settings))


class Texts(Mapping[str, str]):
    """The decoded texts of files, read when asked for."""

    def __init__(self, request: Request) -> None:
        self._request = request
        self._decoded: dict[str, Decoded | None] = {}

    def decoded(self, path: str) -> Decoded | None:
        """The text of a root-relative path; None when it cannot be read (any more)."""
        if path not in self._decoded:
            self._decoded[path] = self._read(path)
        return self._decoded[path]

    def _read(self, path: str) -> Decoded | None:
        settings, stdin = self._request.settings, self._request.stdin
        try:
            data = stdin[1] if stdin and stdin[0] == path else read_bytes(os.path.join(self._request.root, path), settings.max_file_size)
        except OSError:
            return None
        return decode(data, "latin-1" if settings.kind(path) == "properties" else "utf-8")

    def __getitem__(self, path: str) -> str:
        found = self.decoded(path)
        return found.text if found else ""

    def __iter__(self) -> Iterator[str]:
        return iter(self._decoded)

    def __len__(self) -> int:
        return len(self._decoded)
