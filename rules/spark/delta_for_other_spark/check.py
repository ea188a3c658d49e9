"""The release of Delta Lake against the Spark of the job, or of the Kafka source in the same list of packages.

What a release is built for, delta-spark of PyPI says (`Requires-Dist: pyspark`). Tried with the session extension: on Spark 3.5.3 and 3.5.5 delta-core 2.2.0 to 2.4.0, on
3.4.4 delta-core 2.0.2 to 2.3.0 and delta-spark 3.0.0 to 3.2.1, on 3.3.4 delta-core 2.4.0 fail at the first write (NoSuchMethodError, NoClassDefFoundError), without
the extension, too, where that was tried (3.5.3). But 1.2.1 and 2.0.2, for Spark 3.2, write, append, read and stream on 3.3.4, and fail in SQL alone: the extension's parser.
"""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Dependency
from shoal.job import Job, numbers
from shoal.model import Finding
from shoal.readers.versions import engine_versions
from shoal.templates import spark

_BUILT_FOR: dict[tuple[int, ...], tuple[int, ...]] = {
    (0, 7): (3, 0),
    (0, 8): (3, 0),
    (1, 0): (3, 1),
    (1, 1): (3, 2),
    (1, 2): (3, 2),
    (2, 0): (3, 2),
    (2, 1): (3, 3),
    (2, 2): (3, 3),
    (2, 3): (3, 3),
    (2, 4): (3, 4),
    (3, 0): (3, 5),
    (3, 1): (3, 5),
    (3, 2): (3, 5),
    (3, 3): (3, 5),
}


def check(job: Job, context: Context) -> Iterator[Finding]:
    for dependency in job.dependencies:
        release = _release(dependency)
        if len(release) < 2 or not spark.resolved(job, dependency):
            continue
        beside = _beside(job, dependency)
        if beside is not None:
            version = numbers(dict(engine_versions(beside))["spark-kafka"])
            if len(version) > 1 and not _fits(release, version) and not _in_sql_alone(release, version):
                message = (
                    f"one of the two fails with NoSuchMethodError or NoClassDefFoundError: Delta {_text(release)} is built for Spark {_built_for(release)}, "
                    f"the Kafka source beside it for {_text(version)}"
                )
                yield context.finding(message, dependency, [(beside, f"for Spark {_text(version)}")])
                continue
        runs = spark.runs_on(job, dependency)
        if runs is not None and not _fits(release, runs.parts):
            message = (
                f"the first read or write of a Delta table fails with NoSuchMethodError or NoClassDefFoundError: Delta {_text(release)} is built for Spark "
                f"{_built_for(release)}, and runs on {runs.text}"
            )
            sure = "medium" if runs.source.ecosystem == "pypi" else ""
            related = [(runs.source, f"Spark {runs.text}")]
            if _in_sql_alone(release, runs.parts):
                message = f"MERGE, UPDATE and all other SQL fail with NoSuchMethodError beside Delta's session extension: Delta {_text(release)} is built for Spark 3.2, and runs on {runs.text}"
                yield context.finding(message, dependency, related, severity="warning", confidence="medium")
            else:
                yield context.finding(message, dependency, related, confidence=sure)


def _release(dependency: Dependency) -> tuple[int, ...]:
    """Of packages and jars; what pip installs asks for its PySpark itself, and delta-storage knows no Spark."""
    if dependency.ecosystem not in ("maven", "jar") or "delta-storage" in dependency.name or "delta-flink" in dependency.name:
        return ()
    return numbers(dict(engine_versions(dependency)).get("delta", ""))


def _beside(job: Job, dependency: Dependency) -> Dependency | None:
    """The Kafka source that the same submission or session brings."""
    if not dependency.block:
        return None
    return next(
        (other for other in job.dependencies if other.block == dependency.block and "spark-kafka" in dict(engine_versions(other))), None
    )


def _fits(release: tuple[int, ...], version: tuple[int, ...]) -> bool:
    """Whether a release of Delta may be loaded by a Spark; true as well of those of which nothing is known."""
    if release[0] >= 4:
        return version[0] >= 4
    built = _BUILT_FOR.get(release[:2])
    return built is None or built == version[:2]


def _in_sql_alone(release: tuple[int, ...], version: tuple[int, ...]) -> bool:
    """Whether tables can be written and read all the same."""
    return _BUILT_FOR.get(release[:2]) == (3, 2) and version[:2] == (3, 3)


def _built_for(release: tuple[int, ...]) -> str:
    return _text(_BUILT_FOR[release[:2]]) if release[0] < 4 else "4"


def _text(parts: tuple[int, ...]) -> str:
    return ".".join(map(str, parts))
