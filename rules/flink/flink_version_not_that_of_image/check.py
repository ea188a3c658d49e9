"""A resource that says one version and runs another: by the tag of its image, or by the Dockerfile beside it that builds the image."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from shoal.classify import classify
from shoal.context import Context
from shoal.facts import Dependency
from shoal.job import Job, numbers
from shoal.model import Finding

_Named = tuple[Dependency, tuple[int, ...]]


def check(job: Job, context: Context) -> Iterator[Finding]:
    of_block: dict[str, list[Dependency]] = {}
    images: dict[str, list[_Named]] = {}
    for dependency in job.dependencies:
        of_block.setdefault(dependency.block, []).append(dependency)
        if dependency.ecosystem == "image" and classify(dependency.place.path) == "dockerfile" and (parts := _flink(dependency)):
            images.setdefault(posixpath.dirname(dependency.place.path), []).append((dependency, parts))
    for block in job.select("flink", ("deployment",)):
        said: _Named | None = None
        run: _Named | None = None
        own: Dependency | None = None
        for dependency in of_block.get(block.id, ()):
            parts = _flink(dependency)
            if dependency.ecosystem == "field" and parts:
                said = (dependency, parts)
            elif dependency.ecosystem == "image" and parts:
                run = (dependency, parts)
            elif dependency.ecosystem == "image":
                own = dependency
        if said is None:
            continue
        confidence = ""
        if run is None and own is not None and (built := _built(images.get(posixpath.dirname(own.place.path), []))) is not None:
            run = built
            named = posixpath.basename(own.name) == posixpath.basename(posixpath.dirname(own.place.path))
            confidence = "medium" if named else "low"
        if run is not None and said[1] != run[1]:
            message = f"the operator treats this cluster as Flink {_dotted(said[1])}, and its image is Flink {_dotted(run[1])}: conf file, REST calls and defaults are those of the wrong version"
            yield context.finding(message, said[0], [(run[0], "the image")], confidence=confidence)


def _built(beside: list[_Named]) -> _Named | None:
    """What the one Dockerfile in the folder of a resource builds on, where that is Flink of one version."""
    one = len({(dependency.place.path, parts) for dependency, parts in beside}) == 1
    return beside[0] if one else None


def _flink(dependency: Dependency) -> tuple[int, ...]:
    """The major and minor version of Flink that a dependency names; empty for none."""
    from shoal.readers.versions import engine_versions

    found = [numbers(text)[:2] for name, text in engine_versions(dependency) if name == "flink"]
    return next((parts for parts in found if len(parts) == 2), ())


def _dotted(parts: tuple[int, ...]) -> str:
    return ".".join(map(str, parts))
