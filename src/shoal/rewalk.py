"""Another walk through a tree that was walked before: which of its folders are looked into, and what counts in them."""

from __future__ import annotations

import os
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import TYPE_CHECKING

from shoal.gitignore import index_stamp
from shoal.snapshot import Snapshot, times_of

if TYPE_CHECKING:
    from shoal.gitignore import Chain


class Rewalk:
    """What is done of it so far.

    `standing` are the folders of the snapshot that need not be looked into. `start` is where the walk begins, `way` the ignore files above it;
    `link(folder, names, chain)` adds those in an absolute folder that holds these names.
    """

    def __init__(
        self, before: Snapshot, base: str, start: str, way: Chain | None, link: Callable[[str, Collection[str], Chain | None], Chain | None]
    ) -> None:
        self._before = before
        self._base = base
        self._start = start
        self._way = way
        self._link = link
        self._inside: dict[str, Chain | None] = {}
        self.standing = set(before.folders)
        self._ordered: list[str] | None = None

    def changed(self) -> tuple[set[str], dict[str, dict[str, os.stat_result]]]:
        """The folders to be walked again, and the files that were written (`Snapshot.changed`), which count where their folder stands in the end."""
        changed, written = self._before.changed(self._base)
        stamps: dict[str, str] = {}
        for folder, about in self._before.special():
            index, stood = about.git_index
            if index and stamps.setdefault(index, index_stamp(index)) != stood:
                changed.add(folder)
            if about.rules and any(times_of(os.path.join(self._base, folder, name)) != tuple(rest) for name, *rest in about.rules):
                changed.add(folder)
        if self._start not in self.standing:
            changed.add(self._start)
        return changed, written

    def way(self, folder: str) -> tuple[Chain | None, bool, bool]:
        """What counts on the way into a folder that was walked before, whether only what `include` names counts in it, and whether it is ignored."""
        about = self._before.about(folder)
        if folder == self._start:
            return self._way, False, False
        chain = self._within(folder.rpartition("/")[0])
        if chain and about.ignored:
            chain = chain.below(self._absolute(folder)) or chain
        return chain, about.only_included, about.ignored

    def _absolute(self, folder: str) -> str:
        return self._base + folder if folder else self._base[:-1] or self._base

    def _within(self, folder: str) -> Chain | None:
        if folder not in self._inside:
            names = {name.partition("/")[0] for name, *_ in self._before.about(folder).rules}
            self._inside[folder] = self._link(self._absolute(folder), names, self.way(folder)[0])
        return self._inside[folder]

    def take(self, folder: str) -> bool:
        """Whether a folder is still to be walked: not where one above it is gone, or was walked whole."""
        if folder not in self.standing and folder != self._start:
            return False
        self.standing.discard(folder)
        return True

    def walked(self, folder: str, rules: Sequence[tuple[str, int, int]], inside: Chain | None) -> None:
        """A folder has been looked into: where its ignore files have changed, nothing below it stands."""
        self._inside[folder] = inside
        if tuple(rules) != self._before.about(folder).rules:
            self._drop(self._below(folder))

    def enters(self, folder: str, ignored: bool, only_included: bool) -> bool:
        """Whether to walk a folder that was come to, which otherwise stands as it stood, or is walked by itself."""
        if folder not in self.standing:
            return True
        about = self._before.about(folder)
        if (about.ignored, about.only_included) == (ignored, only_included):
            return False
        self._drop([folder, *self._below(folder)])
        return True

    def keep(self, folder: str, entered: Collection[str]) -> None:
        """Of what is below a folder only that in these of its folders stands."""
        start = len(folder) + 1 if folder else 0
        self._drop([inner for inner in self._below(folder) if inner[: _end(inner, start)] not in entered])

    def _below(self, folder: str) -> list[str]:
        """The folders of the snapshot below one."""
        if self._ordered is None:
            self._ordered = sorted(self._before.folders)
        if not folder:
            return [inner for inner in self._ordered if inner]
        # "0" comes behind "/"
        return self._ordered[bisect_left(self._ordered, f"{folder}/") : bisect_left(self._ordered, f"{folder}0")]

    def _drop(self, folders: Iterable[str]) -> None:
        self.standing.difference_update(folders)


def _end(path: str, start: int) -> int:
    """Where the name that begins there ends."""
    end = path.find("/", start)
    return end if end != -1 else len(path)
