"""Dockerfiles with the arguments that their builds in compose files give them, and with what is in the images of the project's own that they begin with."""

from __future__ import annotations

import json
import posixpath
from collections.abc import Iterable, Mapping

from shoal.facts import Dependency, Entry, Fact, Usage
from shoal.jobs.boundaries import above, folder_of

_DEEP = 4  # images that begin with one another


def as_built(facts: dict[str, tuple[Fact, ...]]) -> dict[str, tuple[Fact, ...]]:
    """The facts of all files, those of a Dockerfile with the arguments that all its builds in compose files give it, and with the engines of its base."""
    builds: dict[str, list[Entry]] = {}
    for path, found in facts.items():
        for fact in found:
            if isinstance(fact, Entry) and fact.kind == "build":
                builds.setdefault(posixpath.normpath(posixpath.join(folder_of(path), fact.target)), []).append(fact)
    given = facts | {
        path: tuple(with_arguments(facts[path], some[0]))
        for path, some in builds.items()
        if path in facts and len({build.args[1:] for build in some}) == 1 and some[0].args[1:]
    }
    begun = [path for path, found in given.items() if any(isinstance(fact, Usage) and fact.kind == "own-image" for fact in found)]
    built = _built(given) if begun else {}
    return given | {path: (*given[path], *_of_base(path, given, built)) for path in begun}


def _built(facts: Mapping[str, tuple[Fact, ...]]) -> dict[str, set[str]]:
    """By name the Dockerfiles that images of the project's own are built from, as compose files and scripts have it."""
    found: dict[str, set[str]] = {}
    for path, some in facts.items():
        for fact in some:
            if isinstance(fact, Usage) and fact.kind == "image-built":
                name, file = json.loads(fact.detail)
                # a script may be called from any folder above it
                tried = (posixpath.normpath(posixpath.join(folder, file)) for folder in above(folder_of(path)))
                if at := next((one for one in tried if one in facts), ""):
                    found.setdefault(name.partition(":")[0], set()).add(at)
    return found


def _of_base(path: str, facts: Mapping[str, tuple[Fact, ...]], built: Mapping[str, set[str]], level: int = 0) -> list[Fact]:
    """The engines in the image of the project's own that a Dockerfile begins with."""
    inside: list[Fact] = []
    for fact in facts[path] if level < _DEEP else ():
        bases = built.get(fact.detail, set()) if isinstance(fact, Usage) and fact.kind == "own-image" else set()
        if len(bases) == 1 and (base := next(iter(bases))) != path:
            inside += [*engines_in(facts[base]), *_of_base(base, facts, built, level + 1)]
    return inside


def engines_in(facts: Iterable[Fact]) -> list[Fact]:
    """What a Dockerfile's facts say of the engines in its image."""
    return [fact for fact in facts if isinstance(fact, Dependency) and fact.ecosystem in ("image", "archive")]


def with_arguments(facts: Iterable[Fact], build: Entry) -> list[Fact]:
    """The facts of a Dockerfile with the build's arguments filled into the names of its base images and into the versions that it unpacks."""
    from shoal.readers.images import filled, unpacked

    given = dict(argument.partition("=")[::2] for argument in build.args[1:])
    kept = list(facts)
    ways = {"image-argument": filled, "archive-argument": unpacked}
    for fact in facts:
        way = ways.get(fact.kind) if isinstance(fact, Usage) else None
        if isinstance(fact, Usage) and way is not None and (found := way(fact.detail, given, build.place)):
            kept = [other for other in kept if other is not fact and not (isinstance(other, Dependency) and other.place == fact.place)]
            kept.append(found)
    return kept
