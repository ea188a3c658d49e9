"""What the Python files of a project tell one another: constants that one takes from another, and on which thread a helper is called. Those of Java
tell constants alone.

A file is looked at by itself first. Its facts say what it asks for (`asks`), what it has (`has`), what it calls where (`runs`) and which streams and
clients it gives to whom (`gives`). `tell` works out from the facts of all files which are to be looked at again, and with what; a file's result follows from its own bytes and from that alone,
so it does not matter where, in what order or in how many processes files are looked at. Dockerfiles are told, too, that others ask for them: a
compose file that builds from one, a file with pins beside one.
"""

from __future__ import annotations

import json
import posixpath
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from shoal.classify import classify
from shoal.facts import TELLING, Dependency, Fact, Usage
from shoal.globs import matcher
from shoal.jobs.boundaries import Boundaries, above, folder_of
from shoal.model import DATA, NOTHING, Told
from shoal.paths import Paths
from shoal.records import NamedTuple

if TYPE_CHECKING:
    from shoal.model import FileResult
    from shoal.settings import Settings

# Times that files are looked at again, at most: a constant through three re-exports takes seven.
ROUNDS = 8
_PINNING = frozenset({"requirements", "toml", "lock"})


class _Name(NamedTuple):
    """A name in a file: `path` the module, `inner` the dotted rest."""

    path: str
    inner: str


def tell(results: Mapping[str, FileResult], settings: Settings, modules: Modules | None = None) -> dict[str, Told]:
    """The files to look at again, each with all it is told; empty when every file knows what there is to know.

    `modules`: those of the same paths, for who asks more than once.
    """
    asking = {
        path: usages
        for path, result in results.items()
        if (usages := [fact for fact in result.facts if isinstance(fact, Usage) and fact.kind in TELLING])
    }
    informed = {path for path, result in results.items() if result.told}
    images = {image for result in results.values() for fact in result.facts if isinstance(fact, Usage) for image in _image(fact)}
    pinning = {folder for path, result in results.items() if _pins(path, result.facts) for folder in above(folder_of(path))[:2]}
    if not asking and not informed and not images and not pinning:
        return {}
    tree = modules or Modules(results)
    is_test = matcher(settings.test_paths)
    wanted: dict[str, set[str]] = {}
    runs: dict[str, set[str]] = {}
    given: dict[str, set[str]] = {}
    imports: dict[str, dict[str, _Name]] = {}
    has: dict[_Name, str] = {}
    for path, usages in sorted(asking.items()):
        for fact in usages:
            if fact.kind == "has":
                name, _, value = fact.detail.partition("=")
                has[_Name(path, name)] = value
            elif fact.kind == "asks":
                found = tree.file(path, fact.detail[5:]) if fact.detail.startswith("file:") else tree.find(path, fact.detail)
                if found is not None:
                    wanted.setdefault(found.path, set()).add(found.inner)
                    imports.setdefault(path, {})[fact.detail] = found
            elif not is_test(path):
                name, *rest = json.loads(fact.detail)
                found = tree.find(path, name)
                if found is not None and found.path != path:
                    (runs if fact.kind == "runs" else given).setdefault(found.path, set()).add(json.dumps([found.inner, *rest]))
    for path in images:
        wanted.setdefault(path, set()).add("starts")
    for path in tree.dockerfiles(pinning):
        wanted.setdefault(path, set()).add("python")
    again = {}
    for path in sorted({*wanted, *runs, *given, *imports, *informed}):
        constants = {name: has[found] for name, found in imports.get(path, {}).items() if found in has}
        told = Told(tuple(sorted(constants.items())), *(tuple(sorted(of.get(path, ()))) for of in (runs, wanted, given)))
        before = results.get(path)
        if told != ((before and before.told) or NOTHING):
            again[path] = told
    return again


def _image(fact: Usage) -> tuple[str, ...]:
    """The Dockerfile that says what a container starts, which may speak of no engine itself."""
    if fact.kind != "container":
        return ()
    _, started, _, image, _ = json.loads(fact.detail)
    return (posixpath.normpath(posixpath.join(folder_of(fact.place.path), image)),) if image and not started else ()


def _pins(path: str, facts: Iterable[Fact]) -> bool:
    """Whether a file says which packages are to be installed: a Dockerfile beside it, or in the folder above, says for which Python.

    Such a Dockerfile may speak of no engine itself.
    """
    return classify(path) in _PINNING and any(isinstance(fact, Dependency) and fact.ecosystem == "pypi" for fact in facts)


class Modules:
    """The Python modules and Java classes of a run, found by the names that import them."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._paths = Paths.of(paths)
        self._boundaries = Boundaries(self._paths)
        self._found: dict[tuple[str, str], _Name | None] = {}  # in each round most names are those of the round before

    def dockerfiles(self, folders: Iterable[str]) -> list[str]:
        """The Dockerfiles in some folders."""
        return [posixpath.join(folder, name) for folder in folders for name in self._paths.names(folder) if classify(name) == "dockerfile"]

    def find(self, at: str, name: str) -> _Name | None:
        """What a dotted name that is imported at a file means: in one module of the same project, or nothing."""
        if (at, name) not in self._found:
            self._found[at, name] = self._find(at, name)
        return self._found[at, name]

    def _find(self, at: str, name: str) -> _Name | None:
        dots = len(name) - len(name.lstrip("."))
        parts = name.lstrip(".").split(".")
        folder = folder_of(at)
        if dots:
            chain = above(folder)
            return self._below(chain[dots - 1], parts, 0, at.endswith(".java")) if dots <= len(chain) else None
        project = self._boundaries.project(at)
        inside = [place for place in above(folder) if place == project or place.startswith(f"{project}/" if project else "")]
        found = {hit for base in {*inside, posixpath.join(project, "src")} if (hit := self._below(base, parts, 1)) is not None}
        return found.pop() if len(found) == 1 else None  # which of two comes first is up to whoever starts the job

    def file(self, at: str, name: str) -> _Name | None:
        """A file of data that a program at a path opens by a relative name: beside it, or below a folder above it in the same project."""
        project = self._boundaries.project(at)
        for place in above(folder_of(at)):
            path = posixpath.normpath(posixpath.join(place, name))
            if path in self._paths:
                return _Name(path, DATA)
            if place == project:
                break
        return None

    def _below(self, base: str, parts: list[str], least: int, java: bool = False) -> _Name | None:
        for count in range(len(parts) - 1, least - 1, -1):
            stem = "/".join((base, *parts[:count]) if base else parts[:count])
            python = (f"{stem}.py", f"{stem}.ipynb") if count else ()
            for path in (f"{stem}.java",) if java else (*python, posixpath.join(stem, "__init__.py")):
                if path in self._paths:
                    return _Name(path, ".".join(parts[count:]))
        return None
