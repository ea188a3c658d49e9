"""What a change may have caused: the files that differ from a revision, and the findings that have to do with them.

A finding counts when a place of it stands in a changed file, when it was found in a job that a changed file is a part of (or was: a deleted
file, or one whose settings are gone), or in a Python file about which other files say something, when Python has changed.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping

from shoal import gate, git
from shoal.job import Job
from shoal.jobs.boundaries import Boundaries
from shoal.model import FileResult, Finding, Place
from shoal.settings import Settings

_MAX_BYTES = 2_000_000


class Changes:
    """`paths` are root-relative; they may be gone, and outside the project they start with `../`."""

    def __init__(self, paths: Mapping[str, str], repository: str, base: str) -> None:
        self._inside = dict(paths)
        self._repository = repository
        self._base = base
        self._tree: git.Tree | None = None

    @property
    def paths(self) -> frozenset[str]:
        return frozenset(self._inside)

    def before(self, path: str) -> bytes:
        """What a changed file held at the revision; nothing for one that is new or cannot be read."""
        try:
            self._tree = self._tree or git.Tree(self._repository, self._base)
            return self._tree.content(self._inside[path], _MAX_BYTES)
        except OSError:
            return b""


def since(root: str, revision: str) -> Changes:
    """What differs from the point where the work left `revision`, committed or not, and what is not tracked. Raises git.GitError."""
    changed = git.changed_since(root, revision)
    named = {os.path.relpath(os.path.join(changed.top, path), root).replace(os.sep, "/"): path for path in changed.paths}
    return Changes(named, changed.top, changed.base)


def in_tree(tree: git.Tree, revision: str) -> Changes:
    """What differs between a tree and the point where it left `revision`. Raises git.GitError."""
    changed = git.changed_between(tree.folder, revision, tree.commit)
    return Changes({path: path for path in changed.paths}, tree.folder, changed.base)


class Touched:
    """Collects, while jobs are concluded, what the changes may have caused."""

    def __init__(self, changes: Changes, results: Iterable[FileResult], engines: frozenset[str], settings: Settings) -> None:
        self._paths = changes.paths
        self._caused: set[tuple[str, Place]] = set()
        kept = {result.path: result for result in results}
        self._told = {path for path, result in kept.items() if result.told}
        self._python = any(settings.kind(path) in ("python", "notebook") for path in self._paths)
        lost = [path for path in self._paths if not (path in kept and kept[path].facts) and _mattered(path, changes, engines, settings)]
        self._boundaries = Boundaries([*kept, *lost])
        self._projects = {self._boundaries.project(path) for path in lost}

    def job(self, job: Job, found: Iterable[Finding]) -> None:
        """Take note of what was found in a job or project."""
        if not self._paths.isdisjoint(job.paths) or any(self._lost(path) for path in job.paths if self._projects):
            self._caused.update((finding.rule, finding.primary) for finding in found)

    def _lost(self, path: str) -> bool:
        """Whether a file that is no longer a part of jobs was one of the project that holds this file, or of one above it."""
        return not self._projects.isdisjoint(self._boundaries.chain(self._boundaries.project(path)))

    def keeps(self, finding: Finding) -> bool:
        return (
            any(place.path in self._paths for place in finding.places)
            or (finding.rule, finding.primary) in self._caused
            or (self._python and finding.primary.path in self._told)
        )

    def concerns(self, path: str) -> bool:
        """Whether a problem of this path is for who made the changes to know; those of no file are."""
        return not path or path in self._paths


def _mattered(path: str, changes: Changes, engines: frozenset[str], settings: Settings) -> bool:
    kind = settings.kind(path)
    return bool(kind) and bool(data := changes.before(path)) and gate.passes(kind, data, engines)
