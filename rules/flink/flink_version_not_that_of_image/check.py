"""A resource that says one version and runs another."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Dependency
from shoal.job import Job, numbers
from shoal.model import Finding


def check(job: Job, context: Context) -> Iterator[Finding]:
    from shoal.readers.versions import engine_versions

    for block in job.select("flink", ("deployment",)):
        said: tuple[Dependency, tuple[int, ...]] | None = None
        run: tuple[Dependency, tuple[int, ...]] | None = None
        for dependency in job.dependencies:
            if dependency.block != block.id:
                continue
            for name, text in engine_versions(dependency):
                parts = numbers(text)[:2]
                if name != "flink" or len(parts) < 2:
                    continue
                if dependency.ecosystem == "field":
                    said = (dependency, parts)
                elif dependency.ecosystem == "image":
                    run = (dependency, parts)
        if said and run and said[1] != run[1]:
            message = f"the operator treats this cluster as Flink {_dotted(said[1])}, and its image is Flink {_dotted(run[1])}: conf file, REST calls and defaults are those of the wrong version"
            yield context.finding(message, said[0], [(run[0], "the image")])


def _dotted(parts: tuple[int, ...]) -> str:
    return ".".join(map(str, parts))
