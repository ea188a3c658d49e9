"""What a change may have caused: the files that differ from a revision, and the findings that have to do with them.

A finding counts when a place of it stands in a changed file, when it was found in a job that a changed file is a part of (or was: a deleted
file, or one whose settings are gone), or in a Python file about which other files say something, when Python has changed; further when its rule
has changed or the baseline knows it no more, and any, when the settings have changed.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from functools import lru_cache

from shoal import gate, git
from shoal.job import Job
from shoal.jobs.boundaries import Boundaries
from shoal.model import FileResult, Finding, Place
from shoal.paths import Paths
from shoal.records import NamedTuple
from shoal.settings import Settings

_MAX_BYTES = 2_000_000


class Changes(NamedTuple):
    """What differs from the commit `base` of `repository`: root-relative paths with what the repository calls them.

    They may be gone, and outside the project they start with `../`. `everything` names the settings file whose change may have caused any
    finding, if one has; `released` are findings (fingerprints) that the baseline knew at that commit and knows no more; `rules` are rules that have changed.
    """

    names: dict[str, str]
    repository: str
    base: str
    everything: str = ""
    released: frozenset[str] = frozenset()
    rules: frozenset[str] = frozenset()

    @property
    def paths(self) -> frozenset[str]:
        return frozenset(self.names)

    @property
    def in_repository(self) -> frozenset[str]:
        return frozenset(self.names.values())

    @property
    def tree(self) -> git.Tree:
        """What was there before. Raises git.GitError."""
        return _tree(self.repository, self.base)

    def before(self, path: str) -> bytes:
        """What a changed file held at the revision; nothing for one that is new or cannot be read."""
        try:
            return self.tree.content(self.names[path], _MAX_BYTES)
        except OSError:
            return b""

    def touch(self, finding: Finding) -> bool:
        """Whether a finding counts, whatever it has to do with jobs and other modules."""
        return bool(
            self.everything
            or finding.rule in self.rules
            or finding.fingerprint in self.released
            or any(place.path in self.names for place in finding.places)
        )


@lru_cache(maxsize=4)
def _tree(repository: str, commit: str) -> git.Tree:
    return git.Tree(repository, commit)


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

    def __init__(self, changes: Changes, results: Iterable[FileResult], paths: Paths, engines: frozenset[str], settings: Settings) -> None:
        self._changes = changes
        self._paths = changes.paths
        self._caused: set[tuple[str, Place]] = set()
        kept = {result.path: result for result in results}
        self._told = {path for path, result in kept.items() if result.told}
        self._modules = any(settings.kind(path) in ("python", "notebook", "java") for path in self._paths)
        lost = [path for path in self._paths if not (path in kept and kept[path].facts) and _mattered(path, changes, engines, settings)]
        self._boundaries = Boundaries(paths.plus(lost))
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
            self._changes.touch(finding)
            or (finding.rule, finding.primary) in self._caused
            or (self._modules and finding.primary.path in self._told)
        )

    def concerns(self, path: str) -> bool:
        """Whether a problem of this path is for who made the changes to know; those of no file, and of rules (whose paths are absolute), are."""
        return bool(self._changes.everything) or not path or os.path.isabs(path) or path in self._paths


def _mattered(path: str, changes: Changes, engines: frozenset[str], settings: Settings) -> bool:
    kind = settings.kind(path)
    return bool(kind) and bool(data := changes.before(path)) and gate.passes(kind, data, engines)
