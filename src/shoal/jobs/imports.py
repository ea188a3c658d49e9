"""Which other files of a project a Python program imports, as far as they have facts."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping

from shoal.facts import Fact, Usage
from shoal.jobs.boundaries import Boundaries, above, folder_of

_DEEPEST = 6
_MOST = 60
# What Maven and Gradle call the sources of a module.
_SOURCES = "src/main/java/"


class Classes:
    """The classes of a build's modules, each of which is a project, by their names: one module imports those of another."""

    def __init__(self, projects: Mapping[str, str], boundaries: Boundaries) -> None:
        """`projects`: the project of each file with facts."""
        of_java = {project for path, project in projects.items() if path.endswith(".java")}
        self._tops = {project: boundaries.chain(project)[-1] for project in of_java}
        self._found: dict[tuple[str, str], list[str]] = {}
        for path, project in projects.items():
            if path.endswith(".java") and _SOURCES in path:
                self._found.setdefault((self._tops[project], path.rpartition(_SOURCES)[2]), []).append(path)

    def of(self, project: str, name: str) -> list[str]:
        """The file of a class, where one module alone has it; none otherwise."""
        found = self._found.get((self._tops.get(project, project), f"{name.replace('.', '/')}.java"), [])
        return list(found) if len(found) == 1 else []


def imports_of(path: str, facts: Mapping[str, tuple[Fact, ...]], project: str, classes: Classes | None = None) -> list[str]:
    """The files with facts that a program imports, directly or through others, nearest first; never the program itself."""
    found: list[str] = []
    level = [path]
    for _ in range(_DEEPEST):
        following: list[str] = []
        for at in level:
            for fact in facts.get(at, ()):
                if isinstance(fact, Usage) and fact.kind == "import":
                    files = list(_files(at, fact.detail, facts, project))
                    if not files and classes is not None and fact.detail.endswith(":") and at.endswith(".java"):
                        files = classes.of(project, fact.detail.strip(".:"))
                    following += [other for other in files if other not in found and other != path]
        level = list(dict.fromkeys(following))
        found += level
        if not level or len(found) > _MOST:
            break
    return found


def _files(at: str, detail: str, facts: Mapping[str, tuple[Fact, ...]], project: str) -> Iterator[str]:
    """The files that one import means: the module, and modules among the names taken from a package."""
    module, _, taken = detail.partition(":")
    dots = len(module) - len(module.lstrip("."))
    inner = module.lstrip(".").replace(".", "/")
    folder = folder_of(at)
    if dots:
        chain = above(folder)
        bases = chain[dots - 1 : dots]
    else:
        inside = [place for place in above(folder) if place == project or place.startswith(f"{project}/" if project else "")]
        bases = list(dict.fromkeys([*inside, posixpath.join(project, "src")]))
    for base in bases:
        stem = posixpath.join(base, inner) if inner else base
        ending = ".java" if at.endswith(".java") else ".py"
        targets = [
            f"{stem}{ending}",
            f"{stem}.ipynb",
            posixpath.join(stem, "__init__.py"),
            *(posixpath.join(stem, f"{name}{ending}") for name in taken.split(",") if name),
        ]
        hits = [target.lstrip("/") for target in targets if target.lstrip("/") in facts]
        if hits:
            yield from hits
            return
