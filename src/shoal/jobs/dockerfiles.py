"""Dockerfiles with the arguments that their builds in compose files give them."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable

from shoal.facts import Dependency, Entry, Fact, Usage
from shoal.jobs.boundaries import folder_of


def as_built(facts: dict[str, tuple[Fact, ...]]) -> dict[str, tuple[Fact, ...]]:
    """The facts of all files, those of a Dockerfile with the arguments that all its builds in compose files give it."""
    builds: dict[str, list[Entry]] = {}
    for path, found in facts.items():
        for fact in found:
            if isinstance(fact, Entry) and fact.kind == "build":
                builds.setdefault(posixpath.normpath(posixpath.join(folder_of(path), fact.target)), []).append(fact)
    return facts | {
        path: tuple(with_arguments(facts[path], some[0]))
        for path, some in builds.items()
        if path in facts and len({build.args[1:] for build in some}) == 1 and some[0].args[1:]
    }


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
