"""The paths of a run by folder: what stands where, whether or not it has anything to say. A million of them are looked up, not gone through."""

from __future__ import annotations

import os
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence


def starting(ordered: Sequence[str], start: str) -> Iterator[str]:
    """Those of texts in order that begin with a text."""
    for index in range(bisect_left(ordered, start), len(ordered)):
        if not ordered[index].startswith(start):
            return
        yield ordered[index]


def none_is(folder: str) -> bool:
    """Of trees that are no folders here: nothing in them is a repository of its own."""
    return False


def repositories(root: str) -> Callable[[str], bool]:
    """Says of a root-relative folder whether it is a git repository beside others. `root` is the run's absolute folder.

    None is where the root itself stands in a checkout: what has a `.git` below it is a part of that (a submodule).
    """
    above = root
    while not os.path.lexists(os.path.join(above, ".git")):
        if above == (above := os.path.dirname(above)):
            return lambda folder: os.path.lexists(os.path.join(root, folder, ".git"))
    return none_is


class Paths(Collection[str]):
    """`folders` gives the names in each root-relative folder (the root is empty) that holds any.

    `is_repository` says whether a folder is a repository of its own, beside others in the run.
    """

    def __init__(self, folders: Mapping[str, Collection[str]], is_repository: Callable[[str], bool] = none_is) -> None:
        self._folders = folders
        self.is_repository = is_repository
        self._sets: dict[str, frozenset[str]] = {}
        self._ordered: list[str] | None = None

    @classmethod
    def of(cls, paths: Iterable[str], is_repository: Callable[[str], bool] = none_is) -> Paths:
        """These paths; if it is a `Paths` already, the same."""
        if isinstance(paths, Paths):
            return paths
        folders: dict[str, list[str]] = {}
        for path in paths:
            folder, _, name = path.rpartition("/")
            folders.setdefault(folder, []).append(name)
        return cls(folders, is_repository)

    def plus(self, paths: Iterable[str]) -> Paths:
        """These paths and others."""
        more = Paths.of(paths)._folders
        folders = {**self._folders, **{folder: (*self._folders.get(folder, ()), *names) for folder, names in more.items()}}
        return Paths(folders, self.is_repository)

    def __contains__(self, path: object) -> bool:
        folder, _, name = str(path).rpartition("/")
        return name in self.names(folder)

    def __iter__(self) -> Iterator[str]:
        for folder, names in self._folders.items():
            start = f"{folder}/" if folder else ""
            for name in names:
                yield start + name

    def __len__(self) -> int:
        return sum(map(len, self._folders.values()))

    def names(self, folder: str) -> frozenset[str]:
        """The names of the files in a folder."""
        found = self._sets.get(folder)
        if found is None:
            found = self._sets[folder] = frozenset(self._folders.get(folder, ()))
        return found

    def below(self, folder: str) -> Iterator[tuple[str, Collection[str]]]:
        """A folder and those below it that hold files, each with their names."""
        if self._ordered is None:
            self._ordered = sorted(self._folders)
        if folder in self._folders:
            yield folder, self._folders[folder]
        for inner in starting(self._ordered, f"{folder}/" if folder else ""):
            if inner != folder:
                yield inner, self._folders[inner]

    def named(self, wanted: Callable[[str], object]) -> list[str]:
        """The paths of the files with a name that is wanted, in order. Names are asked about once: a tree has few of them many times over."""
        names = {name for name in set().union(*self._folders.values()) if wanted(name)}
        if not names:
            return []
        return sorted(f"{folder}/{name}" if folder else name for folder, here in self._folders.items() for name in here if name in names)
