"""What images and mounts bring into the containers of a compose file: the Dockerfiles they are built from, conf files, programs."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable

from shoal.facts import Entry, Fact, Mount
from shoal.jobs.boundaries import folder_of
from shoal.jobs.dockerfiles import engines_in, with_arguments
from shoal.jobs.environments import Environment
from shoal.jobs.index import Index
from shoal.jobs.targets import beside_it


class Images:
    """What the containers of each environment get; an environment lives as long as the index."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._brought: dict[int, dict[str, str]] = {}
        self._images: dict[int, list[tuple[str, str, tuple[Fact, ...]]]] = {}
        self._holding: dict[str, dict[str, list[Fact]]] | None = None

    def of(self, environment: Environment) -> list[tuple[str, str, tuple[Fact, ...]]]:
        """The Dockerfiles that the services of a compose file are built from: path, folder of the build context, facts."""
        known = self._images.get(id(environment))
        if known is None:
            images: dict[str, tuple[str, str, tuple[Fact, ...]]] = {}
            for fact in environment.facts:
                if isinstance(fact, Entry) and fact.kind == "build":
                    folder = folder_of(fact.place.path)
                    at = posixpath.normpath(posixpath.join(folder, fact.target))
                    if at in self._index.facts and at not in images:
                        context = posixpath.normpath(posixpath.join(folder, fact.args[0]))
                        images[at] = (at, "" if context == "." else context, tuple(with_arguments(self._index.facts[at], fact)))
            known = self._images[id(environment)] = list(images.values())
        return known

    def brought(self, environment: Environment) -> dict[str, str]:
        """The conf files that the services of a compose file mount, or that are copied into their images, each with why."""
        if (known := self._brought.get(id(environment))) is not None:
            return known
        found: dict[str, str] = {}
        for fact in environment.facts:
            if isinstance(fact, Mount) and fact.kind == "bind" and (name := beside_it(fact)):
                local = posixpath.normpath(posixpath.join(folder_of(fact.place.path), name))
                for at in self._put(local, fact.path):
                    found.setdefault(at, "mounted as its conf")
        for _, context, facts in self.of(environment):
            for fact in facts:
                if isinstance(fact, Mount) and fact.kind == "copy":
                    local = posixpath.normpath(posixpath.join(context, fact.name))
                    for at in self._put(local, fact.path):
                        found.setdefault(at, "copied into its image")
        self._brought[id(environment)] = found
        return found

    def holding(self, confs: Iterable[str]) -> list[tuple[str, list[Fact]]]:
        """The Dockerfiles that compose files build and that copy one of these conf files into their image, each with the engines in it."""
        if self._holding is None:
            self._holding = {}
            for environment in (one for some in self._index.composes.values() for one in some):
                for at, context, facts in self.of(environment):
                    engines = engines_in(facts)
                    for fact in facts:
                        if isinstance(fact, Mount) and fact.kind == "copy":
                            copied = posixpath.normpath(posixpath.join(context, fact.name))
                            self._holding.setdefault(copied, {}).setdefault(at, engines)
        return [one for conf in confs for one in self._holding.get(conf, {}).items()]

    def programs(self, environment: Environment) -> list[str]:
        """The code files that the commands and fields of an environment name."""
        mounts = [fact for fact in environment.facts if isinstance(fact, Mount) and fact.kind == "bind"]
        found = []
        for fact in environment.facts:
            if isinstance(fact, Entry) and (path := self._index.targets.resolve(fact, mounts)) and path not in found:
                found.append(path)
        for _, context, facts in self.of(environment):
            copies = [fact for fact in facts if isinstance(fact, Mount) and fact.kind == "copy"]
            for fact in facts:
                if isinstance(fact, Entry) and (path := self._index.targets.resolve(fact, copies, context)) and path not in found:
                    found.append(path)
        return found

    def _put(self, local: str, inside: str) -> list[str]:
        """The conf files that get into a container when a file or folder is put there at the path `inside`."""
        folder = "conf" in inside.lower()
        beside_it = self._index.conf_folders.get(folder_of(local), ())
        return [*(at for at in beside_it if at == local), *(self._index.conf_folders.get(local, ()) if folder else ())]
