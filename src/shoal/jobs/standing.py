"""Where files stand to one another, asked of many files at once: whatever is looked up here costs as much as what is found, not as a run has files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Generic, TypeVar

from shoal.jobs.boundaries import above, common, folder_of
from shoal.paths import starting

# Folders that hold what the code beside them runs on.
_INFRASTRUCTURE = frozenset(
    re.split(
        r"\s+",
        "build chart charts cluster compose conf config configs configuration constraints container containers deploy deployment deployments devops docker "
        "docker-compose dockerfiles env environment environments flink flink-conf helm image images infra infrastructure k8s kube kubernetes "
        "kustomize local manifests ops platform requirements setup spark",
    )
)

Thing = TypeVar("Thing")


def in_line(path: str, at: str) -> bool:
    """Whether a file stands in the folder of another one, above or below it."""
    folder, own = folder_of(at), folder_of(path)
    return folder == own or not folder or own.startswith(folder + "/") or not own or folder.startswith(own + "/")


def beside(path: str, at: str) -> bool:
    """Whether a file stands in line with a code file, or in a branch that is named for what code runs on."""
    return in_line(path, at) or _is_infrastructure(at.split("/")[common(at, path)])


def _is_infrastructure(folder: str) -> bool:
    return folder.lower().strip(".") in _INFRASTRUCTURE


class Branches:
    """Paths, to be asked for by the folder that they stand below."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._paths = sorted(paths)

    def below(self, folder: str) -> Iterator[str]:
        """Those at any depth below a folder, in order; all for the root (empty)."""
        return starting(self._paths, f"{folder}/" if folder else "")

    def any_below(self, folder: str) -> bool:
        return next(self.below(folder), None) is not None


class Neighbours(Generic[Thing]):
    """Things that each stand at a path, to be asked for by a code file that they may belong with."""

    def __init__(self, things: Iterable[tuple[str, Thing]]) -> None:
        self._things = list(things)
        # the numbers of things by the folder they stand in, or in which the branch begins that is named for them
        self._at: dict[str, list[int]] = {}
        for number, (at, _) in enumerate(self._things):
            folders = at.split("/")[:-1]
            places = {"/".join(folders[:depth]) for depth, folder in enumerate(folders) if _is_infrastructure(folder)}
            for place in {folder_of(at), *places}:
                self._at.setdefault(place, []).append(number)
        self._folders = Branches({folder_of(at) for at, _ in self._things})

    def __iter__(self) -> Iterator[tuple[str, Thing]]:
        return iter(self._things)

    def of(self, path: str) -> list[Thing]:
        """Those that stand `beside` a file, in their order."""
        own = folder_of(path)
        numbers = {number for folder in (*above(own), *self._folders.below(own)) for number in self._at.get(folder, ())}
        return [thing for at, thing in (self._things[number] for number in sorted(numbers)) if beside(path, at)]
