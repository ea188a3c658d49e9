"""The containers of compose files around a program: the brokers of its project, Spark's masters and workers, and those that have its folder."""

from __future__ import annotations

import json
import posixpath
from collections.abc import Callable, Iterable

from shoal.facts import Block, Dependency, Fact, Mount, Setting, Unknown, Usage
from shoal.jobs.boundaries import above, folder_of, is_compose
from shoal.jobs.environments import Environment
from shoal.jobs.index import Index
from shoal.jobs.kinds import is_whole
from shoal.jobs.programs import below
from shoal.jobs.questions import covering
from shoal.jobs.standing import Neighbours
from shoal.jobs.targets import beside_it
from shoal.lazy import pattern
from shoal.records import NamedTuple

_MASTER_HOST = pattern(r"(?:spark://|,)([^:,/\s]+)")
_LOCAL = pattern(r"^file:/+")


class Container(NamedTuple):
    """A container of a compose file that has a program's folder: in which project it stands, its Dockerfile, and its volumes (kind, path, name)."""

    number: int
    project: str
    usage: Usage
    image: str
    volumes: list[list[str]]


class Containers:
    """The containers around each program."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._by_folder: dict[str, list[Container]] = {}  # the folders of programs that they have
        self._claims: dict[str, list[Mount]] = {}  # by project, the claims that pods mount of which nothing else is known
        number = 0
        for path, found in index.facts.items():
            for fact in found:
                if isinstance(fact, Usage) and fact.kind == "container":
                    _, _, folders, image, volumes = json.loads(fact.detail)
                    number += 1
                    for folder in {below(fact.place, one) for one in folders}:
                        self._by_folder.setdefault(folder, []).append(Container(number, index.project[path], fact, image, volumes))
                elif isinstance(fact, Mount) and fact.kind == "pvc" and not fact.block:
                    self._claims.setdefault(index.project[path], []).append(fact)
        self._brokered = _neighbours(index, _has_broker)
        self._mastered = _neighbours(index, _has_master)

    def brokers(self, path: str, taken: set[str]) -> list[str]:
        """Compose files that hold the Kafka brokers and no more of the job: of the same project, or of the next one around it that has some."""
        chain = self._index.boundaries.chain(self._index.project[path])
        brokers = next((self._brokered[project] for project in chain if project in self._brokered), None)
        return [
            environment.paths[0]
            for environment in (brokers.of(path) if brokers else ())
            if environment.paths[0] not in taken and not (is_whole(environment) and any(is_compose(other) for other in taken))
        ]

    def masters(self, path: str, facts: Iterable[Fact], taken: set[str]) -> list[tuple[str, list[Fact]]]:
        """The image of the compose service that is named as master, where one compose file of the project has such a service, and what its containers mount.

        A program that names no master is run by the containers of Spark that mount its folder. The driver of one that names it is in some container
        of that network: which, nobody says, so that what any of Spark's mounts counts.
        """
        masters = self._mastered.get(self._index.project[path])
        if masters is None:
            return []
        named = [fact.text for fact in facts if isinstance(fact, Setting) and fact.key in ("spark.master", "--master")]
        hosts = {host for text in named for host in _MASTER_HOST.findall(text)}
        found: list[tuple[str, list[Fact]]] = []
        for environment in masters.of(path) if hosts or not named else ():
            if not named and not _mounts_folder_of(environment, path):
                continue
            places = {
                fact.place
                for fact in environment.facts
                if isinstance(fact, Usage) and fact.kind == "spark-host" and (fact.detail in hosts or not named)
            }
            images = [fact for fact in environment.facts if isinstance(fact, Dependency) and fact.place in places]
            if not named:
                images = list({(image.name, image.version): image for image in reversed(images)}.values())
            mounts = [fact for fact in environment.facts if isinstance(fact, Mount) and not fact.block]
            found += [(environment.paths[0], [image, *mounts]) for image in images]
        return found if len(found) == 1 and found[0][0] not in taken else []

    def claims(self, path: str, facts: Iterable[Fact]) -> dict[str, list[Fact]]:
        """By manifest, the claims that pods around a program mount where it writes: their images come from elsewhere, so that nobody says which pod runs it."""
        chain = self._index.boundaries.chain(self._index.project[path])
        near = [mount for project in chain for mount in self._claims.get(project, ())]
        named = [_begins(fact) for fact in facts if isinstance(fact, Setting)] if near else []
        found: dict[str, list[Fact]] = {}
        for mount in near:
            if any(covering([mount], text) for text in named):
                found.setdefault(mount.place.path, []).append(mount)
        return found

    def held(self, path: str) -> dict[str, list[Fact]]:
        """By compose file, the containers that have a program's folder, built from it or with it in a mount: what they start, and their volumes."""
        chain = self._index.boundaries.chain(self._index.project[path])
        held = {one.number: one for folder in above(folder_of(path)) for one in self._by_folder.get(folder, ()) if one.project in chain}
        found: dict[str, list[Fact]] = {}
        for one in sorted(held.values(), key=lambda one: (chain.index(one.project), one.number)):
            at = one.usage.place
            starts = [fact for fact in self._index.facts.get(below(at, one.image), ()) if isinstance(fact, Usage) and fact.kind == "starts"]
            mounts = [Mount(path, kind, name, at) for kind, path, name in one.volumes]
            found.setdefault(at.path, []).extend([one.usage, *starts, *mounts])
        return found


def _begins(setting: Setting) -> str:
    """The path that a setting names, without a scheme of the local disk, or what it surely begins with."""
    text = setting.value.begins if isinstance(setting.value, Unknown) else setting.value
    return _LOCAL.sub("/", text)


def _neighbours(index: Index, has: Callable[[Environment], bool]) -> dict[str, Neighbours[Environment]]:
    """By project, the compose files, as they stand without overrides, that have something."""
    found: dict[str, list[tuple[str, Environment]]] = {}
    for project, composed in index.composes.items():
        for environment in composed:
            if not environment.name and has(environment):
                found.setdefault(project, []).append((environment.paths[0], environment))
    return {project: Neighbours(some) for project, some in found.items()}


def _has_broker(environment: Environment) -> bool:
    return any(isinstance(fact, Block) and (fact.engine, fact.role) == ("kafka", "broker") for fact in environment.facts)


def _has_master(environment: Environment) -> bool:
    return any(isinstance(fact, Usage) and fact.kind == "spark-host" for fact in environment.facts)


def _mounts_folder_of(environment: Environment, path: str) -> bool:
    """Whether the containers of Spark in a compose file, which run neither Flink nor Kafka, mount a folder with the program; the whole project says nothing."""
    for fact in environment.facts:
        if isinstance(fact, Mount) and fact.kind == "bind" and not fact.block and (name := beside_it(fact)):
            folder = posixpath.normpath(posixpath.join(folder_of(fact.place.path), name))
            if folder != posixpath.normpath(folder_of(fact.place.path) or ".") and path.startswith(f"{folder}/"):
                return True
    return False
