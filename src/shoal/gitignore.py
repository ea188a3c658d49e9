"""What .gitignore files say of a path, read here: git itself is not asked, a repository may name programs it would start.

`pathspec` decides, but only for names that some pattern could mean: asking it about each of 10,000 files costs 0.3 s.
"""

from __future__ import annotations

import os
import re
from array import array
from bisect import bisect_left
from typing import TYPE_CHECKING

from shoal.digests import blake2b
from shoal.globs import component
from shoal.lazy import pattern
from shoal.records import NamedTuple

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

_MAX_BYTES = 1_000_000


class Ignores:
    """The patterns of one file. Paths are relative to the folder it stands in."""

    def __init__(self, text: str) -> None:
        self.lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
        self._names: set[str] = set()
        self._endings: list[str] = []
        self._always = False
        self._spec: GitIgnoreSpec | None = None
        shapes = []
        for line in self.lines:
            last = line.strip().lstrip("!").rstrip("/").rsplit("/", 1)[-1]
            if last in ("", "*", "**") or "\\" in line or line != line.rstrip():
                self._always = True
            elif not any(char in last for char in "*?["):
                self._names.add(last)
            elif last[0] == "*" and not any(char in last[1:] for char in "*?["):
                self._endings.append(last[1:])
            else:
                shapes.append(component(last))
        self._ends = tuple(self._endings)
        self._shape = pattern(f"(?:{'|'.join(shapes)})\\Z", re.DOTALL) if shapes else None

    def __bool__(self) -> bool:
        return bool(self.lines)

    def verdict(self, path: str, name: str, folder: bool) -> bool | None:
        """True when the path is ignored, False when a `!` pattern takes it back, None when nothing is said."""
        if not (self._always or name in self._names or name.endswith(self._ends) or (self._shape and self._shape.match(name))):
            return None
        if self._spec is None:
            from pathspec import GitIgnoreSpec

            self._spec = _spec(GitIgnoreSpec, self.lines)
        return self._spec.check_file(f"{path}/" if folder else path).include


def _spec(kind: type[GitIgnoreSpec], lines: list[str]) -> GitIgnoreSpec:
    try:
        return kind.from_lines(lines)
    except (ValueError, re.error):  # git passes over a pattern it cannot read
        good = []
        for line in lines:
            try:
                kind.from_lines([line])
            except (ValueError, re.error):
                continue
            good.append(line)
        return kind.from_lines(good)


class Tracked:
    """What git tracks below the top of a checkout, as its index says, which is read when first asked for.

    Of an index of version 4 nothing is known: there a path is written by what differs from the one before it.
    """

    def __init__(self, top: str) -> None:
        self.top = top
        self.index = _index(top)
        self._data = b""
        self._starts: array[int] | None = None
        self.asked = 0  # how often somebody has wanted to know
        self._stamp: str | None = None

    @property
    def stamp(self) -> str:
        """Another one when the index is."""
        if self._stamp is None:
            self._stamp = index_stamp(self.index)
        return self._stamp

    def holds(self, path: str, folder: bool) -> bool:
        """Whether git tracks a file, or anything in a folder; `path` is absolute."""
        self.asked += 1
        if self._starts is None:
            self._read()
        assert self._starts is not None
        name = os.fsencode(path[len(self.top) :].lstrip(os.sep).replace(os.sep, "/")) + (b"/" if folder else b"\0")
        # entries are ordered by path, of which the NUL behind it is the least that may follow
        at = bisect_left(self._starts, name, key=lambda start: self._data[start : start + len(name)])
        return at < len(self._starts) and self._data.startswith(name, self._starts[at])

    def _read(self) -> None:
        try:
            with open(self.index, "rb") as file:
                self._data = file.read()
        except OSError:
            self._data = b""
        self._starts = next(filter(None, (_starts(self._data, size) for size in (20, 32))), array("Q"))


def index_stamp(index: str) -> str:
    """What tells one state of an index from another; empty where there is none."""
    try:
        info = os.stat(index)
    except (OSError, ValueError):
        return ""
    return f"{info.st_mtime_ns}:{info.st_size}"


def _starts(data: bytes, size: int) -> array[int]:
    """Where the paths of an index begin; none where it makes no sense with names of objects of that size (SHA-1 or SHA-256) in bytes."""
    starts = array("Q")
    if data[:4] != b"DIRC" or data[4:8] not in (b"\0\0\0\2", b"\0\0\0\3"):
        return starts
    at = 12
    for _ in range(int.from_bytes(data[8:12], "big")):
        start = at + 42 + size  # behind the times, ids and size of the file, the name of its object, and the flags
        flags = data[start - 2 : start]
        length = int.from_bytes(flags, "big") & 0xFFF
        if flags and flags[0] & 0x40:  # there are further flags
            start += 2
        end = start + length if length < 0xFFF else data.find(b"\0", start)
        if not start < end < len(data) or data[end]:
            return array("Q")
        starts.append(start)
        at += (end - at + 8) & ~7
    return starts


def _index(top: str) -> str:
    """Where the index of a checkout stands: a worktree and a submodule have a file `.git` that says so."""
    place = os.path.join(top, ".git")
    try:
        if os.path.isfile(place):
            with open(place, "rb") as file:
                place = os.path.join(top, os.fsdecode(file.read(_MAX_BYTES).partition(b"gitdir:")[2].strip()))
    except (OSError, ValueError):
        pass
    return os.path.join(place, "index")


class Chain(NamedTuple):
    """The ignore files that count in a folder of a checkout, the nearest first. `base` is the folder a file stands in; all paths are absolute.

    What git tracks is not ignored, whatever they say. Outside a checkout there is no chain: of an unpacked archive nobody knows what was
    tracked, and everything was.
    """

    base: str
    ignores: Ignores
    above: Chain | None
    key: str
    tracked: Tracked

    @classmethod
    def top(cls, folder: str) -> Chain:
        """That of a checkout without ignore files."""
        return cls(folder, Ignores(""), None, "", Tracked(folder))

    def link(self, base: str, ignores: Ignores) -> Chain:
        """An ignore file more. `key` is the same for chains that say the same of every path."""
        said = "\n".join((self.key, base, *ignores.lines))
        return Chain(base, ignores, self, blake2b(said.encode("utf-8", "surrogateescape"), digest_size=16).hexdigest(), self.tracked)

    def ignored(self, path: str, name: str, folder: bool) -> bool:
        """Whether a file is left out, or everything in a folder that git does not track."""
        link: Chain | None = self
        while link is not None:
            verdict = link.ignores.verdict(path[len(link.base) :].lstrip("/"), name, folder) if len(path) > len(link.base) else None
            if verdict is not None:
                return verdict and (folder or not self.tracked.holds(path, False))
            link = link.above
        return False

    def below(self, folder: str) -> Chain | None:
        """What counts in a folder that is ignored: None where git tracks nothing in it, else all is ignored but what git tracks."""
        return self.link(folder, Ignores("*")) if self.tracked.holds(folder, True) else None


def read(path: str) -> Ignores | None:
    """The patterns of an ignore file; None when it has none or is no ordinary file. OSError for one that may not be read."""
    if os.path.islink(path) or not os.path.isfile(path):
        return None
    try:
        with open(path, "rb") as file:
            found = Ignores(file.read(_MAX_BYTES).decode("utf-8", "surrogateescape"))
    except FileNotFoundError:
        return None
    return found if found else None
