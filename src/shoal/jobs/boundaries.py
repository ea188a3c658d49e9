"""Where one project ends and the next begins: folders that hold a build file, or a compose file beside code of their own, and repositories."""

from __future__ import annotations

import re
from collections.abc import Iterable

from shoal.classify import classify
from shoal.lazy import pattern
from shoal.paths import Paths

_BUILD = pattern(r"pyproject\.toml|setup\.(?:py|cfg)|pipfile|pom\.xml|build\.gradle(?:\.kts)?|build\.sbt|databricks\.ya?ml", re.IGNORECASE)
_COMPOSE = pattern(r"(?:docker-)?compose(?:[-_.][\w.-]*)?\.ya?ml|[\w.-]*[-_.]compose\.ya?ml", re.IGNORECASE)
_CODE = frozenset({"python", "notebook", "java", "sql"})


def is_compose(path: str) -> bool:
    """Whether a file is named like a compose file."""
    return _COMPOSE.fullmatch(path.rsplit("/", 1)[-1]) is not None


def marks_project(name: str) -> bool:
    """Whether a file of this name makes its folder a project, or may (a compose file does when code stands with it)."""
    return _BUILD.fullmatch(name) is not None or _COMPOSE.fullmatch(name) is not None


def folder_of(path: str) -> str:
    """The folder of a root-relative path; empty for the root."""
    return path.rpartition("/")[0]


def in_line(folder: str, other: str) -> bool:
    """Whether one of two folders is the other, or stands above it."""
    one, two = f"{folder}/".lstrip("/"), f"{other}/".lstrip("/")
    return one.startswith(two) or two.startswith(one)


def is_below(path: str, folder: str) -> bool:
    """Whether a path stands in a folder or further below it; all stand below the root."""
    return not folder or path.startswith(f"{folder}/")


def above(folder: str) -> list[str]:
    """A folder and all folders above it, nearest first, the root (empty) last."""
    found = [folder]
    while folder:
        folder = folder.rpartition("/")[0]
        found.append(folder)
    return found


class Boundaries:
    """The projects of a tree, found by the names of its files alone, where somebody asks."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._paths = Paths.of(paths)
        self._known = {"": True}
        self._repositories: set[str] = set()

    def _is_project(self, folder: str) -> bool:
        found = self._known.get(folder)
        if found is None:
            names = self._paths.names(folder)
            if self._paths.is_repository(folder):
                self._repositories.add(folder)
            found = (
                folder in self._repositories
                or any(_BUILD.fullmatch(name) for name in names)
                or (any(_COMPOSE.fullmatch(name) for name in names) and self._holds_code(folder))
            )
            self._known[folder] = found
        return found

    def _holds_code(self, folder: str) -> bool:
        return any(classify(name) in _CODE and not marks_project(name) for _, names in self._paths.below(folder) for name in names)

    def project(self, path: str) -> str:
        """The folder of the project that a file belongs to."""
        return next(folder for folder in above(folder_of(path)) if self._is_project(folder))

    def chain(self, project: str) -> list[str]:
        """A project and those whose folders stand above its own, nearest first; nothing above a repository, which is whole by itself."""
        found = [folder for folder in above(project) if self._is_project(folder)]
        end = next((number for number, folder in enumerate(found) if folder in self._repositories), len(found))
        return found[: end + 1]


def common(one: str, other: str) -> int:
    """How many folders two paths begin with in common."""
    count = 0
    for left, right in zip(one.split("/")[:-1], other.split("/")[:-1], strict=False):
        if left != right:
            break
        count += 1
    return count
