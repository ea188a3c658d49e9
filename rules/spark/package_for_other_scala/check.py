"""The Scala in the name of a package that a Spark application loads against the Scala that its Spark is built with."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Dependency
from shoal.job import Job, Version, numbers
from shoal.model import Finding
from shoal.readers.versions import engine_versions
from shoal.templates import spark

# What rules of their own compare, by what `engine_versions` calls it.
_OWN_RULES = frozenset({"spark-kafka", "spark-streaming-kafka"})


def check(job: Job, context: Context) -> Iterator[Finding]:
    for dependency in job.dependencies:
        says = dict(engine_versions(dependency))
        scala = says.get("scala", "")
        if not scala or says.keys() & _OWN_RULES or "flink" in says or not _loaded(job, dependency):
            continue
        version = spark.runs_on(job, dependency)
        if version is None or not spark.resolved(job, dependency) or _told_elsewhere(says, version):
            continue
        theirs = dict(engine_versions(version.source)).get("scala", "")
        known = (theirs,) if theirs else spark.scalas(version.parts[0])
        if not theirs and version.parts[0] == 3 and spark.of_scala_2_12(version.source):
            known = ("2.12",)
        if scala in known:
            continue
        name = dependency.name.rpartition(":")[2]
        message = f"{name} is built for Scala {scala}, and Spark {version.text} runs with Scala {' or '.join(known)}: its classes fail with NoClassDefFoundError or NoSuchMethodError"
        related = [(version.source, f"Spark {version.text}")]
        sure = "low" if spark.may_be_any(job) else "medium" if version.source.ecosystem == "pypi" else ""
        yield context.finding(message, dependency, related, confidence=sure)


def _loaded(job: Job, dependency: Dependency) -> bool:
    """Whether Spark is given it: not what a build only compiles with, or shades."""
    block = job.blocks.get(dependency.block)
    return dependency.ecosystem == "maven" and block is not None and block.engine == "spark"


def _told_elsewhere(says: dict[str, str], version: Version) -> bool:
    """Whether it is for another Spark at all, of which other rules speak: by the version in its name, or by its own."""
    built = numbers(says.get("spark", ""))
    if built and built[0] != version.parts[0]:
        return True
    delta = numbers(says.get("delta", ""))
    return bool(delta) and (delta[0] >= 4) != (version.parts[0] >= 4)
