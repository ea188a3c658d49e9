"""Which program of a run is meant by what a command, a field or an operator names: a path in a container or on a disk, a module, a class."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Mapping

from shoal.classify import classify
from shoal.facts import Block, Entry, Fact, Mount, Usage
from shoal.jobs.boundaries import Boundaries, common, folder_of
from shoal.jobs.standing import Branches, in_line
from shoal.paths import Paths

# Who starts Python for an engine, and nothing else.
_RUNNERS = frozenset(
    {
        ("flink", "deployment"),
        ("flink", "sessionjob"),
        ("flink", "command"),
        ("spark", "application"),
        ("spark", "submit"),
        ("spark", "command"),
    }
)
_NONE = Branches(())


class Targets:
    """The programs of a run by what they are called.

    `code` says of each program what engine it is for, `called` are those that may be named besides, `project` says of each file with facts whose it is.
    `started_by`: the scripts that were found to stand for a program which they import.
    """

    def __init__(
        self,
        facts: Mapping[str, tuple[Fact, ...]],
        code: Mapping[str, str],
        called: Iterable[str],
        project: Mapping[str, str],
        boundaries: Boundaries,
        paths: Paths,
        tests: Callable[[str], bool],
    ) -> None:
        self._facts = facts
        self._code = code
        self._project = project
        self._boundaries = boundaries
        self._paths = paths
        self._tests = tests
        self.programs = Branches(code)
        self.started_by: dict[str, str] = {}
        names = [(name, path) for path in called for name in (path.rpartition("/")[2], *_in_maps(facts[path]))]
        self._by_name = {name: Branches(some) for name, some in _grouped(names).items()}
        self._by_project: dict[tuple[str, str], list[str]] = {}
        for name, path in names:
            self._by_project.setdefault((name, project[path]), []).append(path)
        packages = _grouped((posixpath.basename(folder_of(path)), path) for path in code)
        self._packages = {name: Branches(some) for name, some in packages.items()}
        self._blocks: dict[str, dict[str, Block]] = {}
        self._behind_cache: dict[tuple[str, str], list[str]] = {}
        self._same_names: dict[str, list[str]] | None = None

    def resolve(self, entry: Entry, mounts: list[Mount], context: str | None = None) -> str:
        """The code file that an entry's path inside a container or on a disk means; empty when that is not certain.

        `context` is the folder that the mounts are relative to, when it is not that of the file the entry stands in.
        """
        if entry.kind in ("build", "resource"):
            return ""
        target = entry.target.partition("://")[2] or entry.target
        target = (
            posixpath.normpath("/" + target.lstrip("/")) if "://" in entry.target or target.startswith("/") else posixpath.normpath(target)
        )
        name = posixpath.basename(target)
        at = entry.place.path
        if entry.kind == "python" and "/" not in target and not name.endswith((".py", ".ipynb")):
            target = target.replace(".", "/")  # a module by its dotted name
            name = posixpath.basename(target)
        elif entry.kind == "class" and "/" not in target:
            target = target.partition("$")[0].replace(".", "/") + ".java"
            name = posixpath.basename(target)
        for mount in mounts:
            inside = mount.path.rstrip("/") + "/"
            if f"{target}/".startswith(inside) and (name_there := beside_it(mount)):
                local = posixpath.normpath(posixpath.join(folder_of(at) if context is None else context, name_there, target[len(inside) :]))
                if local in self._code:
                    return local
        beside = posixpath.normpath(posixpath.join(folder_of(at), target.lstrip("/")))
        for found in (beside, f"{beside}.py", f"{beside}.ipynb"):  # a notebook is named without its ending
            if found in self._code:
                return found
        if entry.kind == "python" and "." not in name:
            target, name = f"{target}.py", f"{name}.py"
        project = self._project.get(at, "")
        same = self._by_name.get(name, _NONE)
        near = list(same.below(project))
        for outer in () if near else self._boundaries.chain(project)[1:]:
            near += self._by_project.get((name, outer), ())
        if not near:
            return self._in_package(entry, target, project) or self._behind(entry, name, target, project)
        best = max(_suffix(path, target) for path in near)
        fits = [path for path in near if _suffix(path, target) == best]
        if len(fits) > 1:
            own = [path for path in fits if self._project[path] == project]
            fits = own or fits
            closest = max(common(at, path) for path in fits)
            fits = [path for path in fits if common(at, path) == closest]
        if len(fits) != 1:
            return ""
        branch = "/".join(at.split("/")[: common(at, fits[0]) + 1])
        if best == 1 and not in_line(fits[0], at) and self.programs.any_below(branch):
            return ""  # a name alone, in a branch with programs of its own
        return fits[0]

    def _in_package(self, entry: Entry, target: str, project: str) -> str:
        """The only program in the package of a module that is started (`-m orders.run`) and holds none itself."""
        package = posixpath.dirname(target).strip("/")
        if entry.kind != "python" or "/" in entry.target or not package:
            return ""
        called = self._packages.get(posixpath.basename(package), _NONE)
        inside = [path for path in called.below(project) if f"/{folder_of(path)}".endswith(f"/{package}")]
        return inside[0] if len(inside) == 1 else ""

    def _block(self, path: str, name: str) -> Block | None:
        """The block of a file that has this id."""
        if path not in self._blocks:
            self._blocks[path] = {fact.id: fact for fact in self._facts.get(path, ()) if isinstance(fact, Block)}
        return self._blocks[path].get(name)

    def _behind(self, entry: Entry, name: str, target: str, project: str) -> str:
        """The only program of a project, for a script in it that an engine is told to run and that speaks of no engine itself: it imports the program."""
        block = self._block(entry.place.path, entry.block)
        if entry.kind != "python" or block is None or (block.engine, block.role) not in _RUNNERS:
            return ""
        if (name, project) not in self._behind_cache:
            below = self._paths.below(project) if name.endswith(".py") else ()
            named = [f"{folder}/{name}" if folder else name for folder, names in below if name in names]
            # Python in which nothing is known of an engine
            self._behind_cache[name, project] = [
                path for path in named if path not in self._facts and not self._tests(path) and self._boundaries.project(path) == project
            ]
        scripts = self._behind_cache[name, project]
        best = max((_suffix(path, target) for path in scripts), default=0)
        scripts = [path for path in scripts if _suffix(path, target) == best]
        if len(scripts) != 1:
            return ""
        programs = [path for path in self.programs.below(project) if self._project[path] == project and classify(path) == "python"]
        if len(programs) != 1 or self._code[programs[0]] != block.engine:
            return ""
        self.started_by[programs[0]] = scripts[0]
        return programs[0]

    def means(self, at: str, target: str, path: str) -> bool:
        """Whether the target that a file names is a path: the same name, and nothing else of the project that fits it as well."""
        if posixpath.basename(target) != posixpath.basename(path) or self._project[at] != self._project[path]:
            return False
        if self._same_names is None:
            self._same_names = _grouped((posixpath.basename(one), one) for one in self._facts)
        same = self._same_names.get(posixpath.basename(path), [])
        best = max((_suffix(other, target) for other in same), default=0)
        return [other for other in same if _suffix(other, target) == best] == [path]


def beside_it(mount: Mount) -> str:
    """What is mounted or copied, relative to the file that says so (or its build context); empty when it stands elsewhere."""
    name = mount.name
    for variable in ("${PWD}/", "$PWD/", "$(pwd)/"):
        if name.startswith(variable):
            return f"./{name[len(variable) :]}"
    return name if name.startswith(".") or mount.kind == "copy" else ""


def _grouped(called: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """Paths by the names that they are called by."""
    found: dict[str, list[str]] = {}
    for name, path in called:
        found.setdefault(name, []).append(path)
    return found


def _in_maps(facts: Iterable[Fact]) -> list[str]:
    """The names of programs that config maps in a file hold."""
    return [fact.detail for fact in facts if isinstance(fact, Usage) and fact.kind == "file-in-map"]


def _suffix(path: str, target: str) -> int:
    count = 0
    for left, right in zip(reversed(path.split("/")), reversed(target.split("/")), strict=False):
        if left != right:
            break
        count += 1
    return count
