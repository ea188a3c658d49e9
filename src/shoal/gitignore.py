"""What .gitignore files say of a path, read here: git itself is not asked, a repository may name programs it would start.

`pathspec` decides, but only for names that some pattern could mean: asking it about each of 10,000 files costs 0.3 s.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, NamedTuple

from shoal.digests import blake2b
from shoal.globs import component
from shoal.lazy import pattern

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


class Chain(NamedTuple):
    """The ignore files that count in a folder, the nearest first. `base` is the folder a file stands in; all paths are absolute."""

    base: str
    ignores: Ignores
    above: Chain | None
    key: str

    @classmethod
    def link(cls, base: str, ignores: Ignores, above: Chain | None) -> Chain:
        """An ignore file more. `key` is the same for chains that say the same of every path."""
        said = "\n".join((above.key if above else "", base, *ignores.lines))
        return cls(base, ignores, above, blake2b(said.encode("utf-8", "surrogateescape"), digest_size=16).hexdigest())

    def ignored(self, path: str, name: str, folder: bool) -> bool:
        link: Chain | None = self
        while link is not None:
            verdict = link.ignores.verdict(path[len(link.base) :].lstrip("/"), name, folder)
            if verdict is not None:
                return verdict
            link = link.above
        return False


def read(path: str) -> Ignores | None:
    """The patterns of an ignore file; None when it has none or is no ordinary file."""
    try:
        if os.path.islink(path) or not os.path.isfile(path):
            return None
        with open(path, "rb") as file:
            found = Ignores(file.read(_MAX_BYTES).decode("utf-8", "surrogateescape"))
    except OSError:
        return None
    return found if found else None
