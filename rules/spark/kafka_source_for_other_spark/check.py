"""The `spark-sql-kafka-0-10` package against the version of Spark, and its Scala suffix against that Spark's Scala."""

from __future__ import annotations

import re
from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block, Dependency
from shoal.job import Job, numbers
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.readers.versions import engine_versions, image_engine, misses
from shoal.templates.spark import may_be_any, of_scala_2_12, scalas

_SOURCES = ("spark-kafka", "spark-streaming-kafka")
# Packages that are added next to the source, and are as likely to be of the wrong version as it is.
_ALONG = pattern(r"spark-(?:token-provider-kafka|avro)")
# The major version that `pip install pyspark` brings, since May 2025.
_NEWEST = 4

_Engine = tuple[Dependency, tuple[int, ...]]


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Versions of Spark are taken from pins, images and manifests; where several disagree, only what images hold counts."""
    engines = [
        (dependency, numbers(text))
        for dependency in job.dependencies
        if dependency.exact
        for name, text in engine_versions(dependency)[:1]  # what stands behind it, an artifact was built for
        if name == "spark" and not _ALONG.search(dependency.name)
    ]
    # `spark:3` says too little to compare with, and enough to contradict a pin that is not of what runs there
    majors = {
        int(found.group())
        for dependency in job.dependencies
        if dependency.ecosystem == "image" and image_engine(dependency.name) == "spark" and (found := re.match(r"\d+", dependency.version))
    }
    blurred = may_be_any(job)
    engines = [(dependency, parts) for dependency, parts in engines if len(parts) > 1 and parts[0] in (majors or {parts[0]})]
    submitted = any(_is_source(dependency) and _role(job, dependency) == "submit" for dependency in job.dependencies)
    for dependency in job.dependencies:
        says = dict(engine_versions(dependency))
        version = _says(dependency)
        if len(version) < 2 or (submitted and _role(job, dependency) == "job"):
            continue  # packages that code names are not resolved any more once spark-submit was given some
        scala = says.get("scala", "")
        own = [(other, parts) for other, parts in engines if dependency.block and other.block == dependency.block]
        elsewhere = _in_container(job, dependency)
        near = own or _nearest([one for one in engines if not (elsewhere and one[0].ecosystem == "pypi")], dependency)
        minors = {parts[:2] for _, parts in near}
        images = [(other, parts) for other, parts in near if other.ecosystem in ("image", "archive")]
        if len(minors) == 1 and version[:2] not in minors:
            wrong = _wrong(job, context, dependency, near[0][0], version, near[0][1], "low" if blurred and not own else "")
            same = [other for other in job.dependencies if _role(job, dependency) == "submit" and _role(job, other) == "job"]
            also = [other.place._replace(role="related", label="named here too") for other in same if _says(other) == _says(dependency)]
            yield wrong._replace(places=(*wrong.places, *also))
        elif len(minors) > 1 and len({parts[:2] for _, parts in images}) == 1 and version[:2] != images[0][1][:2]:
            # a pin that contradicts the image is not of what runs there
            yield _wrong(job, context, dependency, images[0][0], version, images[0][1], "low" if blurred else "medium")
        elif scala and scala not in scalas(version[0]):
            message = (
                f"the package does not exist: Spark {_text(version)} is built for Scala {' and '.join(scalas(version[0]))}, not {scala}"
            )
            yield context.finding(message, dependency)
        elif scala and (other := _of_other_scala(near, dependency, scala)) is not None:
            message = f"the source fails with NoSuchMethodError or ClassNotFoundException: it is built for Scala {scala}, and {other.name.rpartition(':')[2]} beside it is not"
            yield context.finding(message, dependency, [(other, "of the other Scala")])
        elif scala == "2.13" and version[0] == 3 and near and all(of_scala_2_12(other) for other, _ in near):
            pinned = near[0][0].ecosystem == "pypi"
            runs = f"PySpark {_text(near[0][1])} from PyPI" if pinned else f"Spark {_text(near[0][1])} of this image"
            message = f"the source fails with NoClassDefFoundError: it is built for Scala 2.13, and {runs} for Scala 2.12"
            sure = "low" if blurred and not own else "medium" if pinned else ""
            yield context.finding(message, dependency, [(near[0][0], "built for Scala 2.12")], confidence=sure)
        elif not near and not elsewhere and version[0] < _NEWEST:
            yield from _outgrown(job, context, dependency, version)


def _outgrown(job: Job, context: Context, dependency: Dependency, version: tuple[int, ...]) -> Iterator[Finding]:
    """PySpark in a range without an upper bound, where nothing else says which Spark there is: pip takes the newest one.

    Tried: PySpark 4.1.4 with spark-sql-kafka-0-10_2.12 3.5.7 does not get beyond load().
    """
    ranges = [other for other in job.dependencies if other.ecosystem == "pypi" and other.name == "pyspark"]
    if not ranges or any(misses(other.version, (_NEWEST,)) for other in ranges) or job.outside:
        return
    if any(_holds_back(other) for other in job.dependencies) or any(block.trait("platform") for block in job.select("spark")):
        return
    asked = next((other for other in ranges if other.version), ranges[0])
    what = f"pyspark{asked.version}" if asked.version else "pyspark without a version"
    message = (
        f"{what} is Spark {_NEWEST} wherever it is installed anew, and the Kafka source beside it is built for Spark {_text(version)}: it fails "
        f"with NoSuchMethodError when it is loaded; pin pyspark to the version of the source"
    )
    sure = "medium" if _role(job, dependency) == "job" else "low"  # spark-submit may be of another Spark
    yield context.finding(message, asked, [(dependency, f"for Spark {_text(version)}")], severity="warning", confidence=sure)


def _holds_back(other: Dependency) -> bool:
    """What may keep pip from the newest PySpark (delta-spark 3 asks for PySpark 3), or runs in its place."""
    if other.ecosystem == "pypi":
        return other.name == "databricks-connect" or (other.name == "delta-spark" and bool(other.version))
    return other.ecosystem in ("image", "archive", "field") and "spark" in other.name


def _nearest(engines: list[_Engine], dependency: Dependency) -> list[_Engine]:
    """What is said of Spark elsewhere in the job. A jar that is put into an image meets what that image is made of; the operator's
    `sparkVersion` chooses nothing, the image does."""
    path = dependency.place.path
    if dependency.ecosystem == "jar":
        base = [one for one in engines if one[0].place.path == path and one[0].ecosystem in ("image", "archive")]
        if base:
            return base
    chosen = [one for one in engines if one[0].ecosystem != "field"]
    return chosen if chosen or dependency.ecosystem == "jar" else engines


def _is_source(dependency: Dependency) -> bool:
    return bool(_says(dependency))


def _says(dependency: Dependency) -> tuple[int, ...]:
    """The Spark that a package of the source was built for; nothing for anything else."""
    says = dict(engine_versions(dependency))
    return next((numbers(says[name]) for name in _SOURCES if name in says), ())


def _role(job: Job, dependency: Dependency) -> str:
    block = job.blocks.get(dependency.block)
    return block.role if block is not None else ""


def _in_container(job: Job, dependency: Dependency) -> bool:
    """Whether a running container's spark-submit is given it: that Spark is the container's, whatever PySpark the project pins."""
    block = job.blocks.get(dependency.block)
    return block is not None and block.trait("inside") == "container"


def _of_other_scala(near: list[_Engine], dependency: Dependency, scala: str) -> Dependency | None:
    """An artifact of Spark in the same build that is for another Scala."""
    if dependency.ecosystem != "maven":
        return None
    for other, _ in near:
        if other.ecosystem == "maven" and other.place.path == dependency.place.path:
            theirs = dict(engine_versions(other)).get("scala", "")
            if theirs and theirs != scala:
                return other
    return None


def _wrong(
    job: Job,
    context: Context,
    dependency: Dependency,
    spark: Dependency,
    version: tuple[int, ...],
    engine: tuple[int, ...],
    confidence: str,
) -> Finding:
    of, on = f"built for Spark {_text(version)}", _text(engine)
    related: list[tuple[Dependency | Block, str]] = [(spark, f"Spark {on}")]
    across = version[0] != engine[0]
    reads, writes = _does(dependency, version[:2], engine[:2])
    writer = next((block for block in job.select("spark", ("writer", "batch-writer")) if block.trait("format") == "kafka"), None)
    if not reads:
        message = f"the source fails with NoSuchMethodError or ClassNotFoundException: it is {of}, and runs on {on}"
    elif writes:
        message = f"the package is {of}, and runs on {on}: what it calls is still there"
        return context.finding(message, dependency, related, severity="info", confidence="low")
    elif writer is None:
        message = f"the package is {of}, and runs on {on}: it may read, and fails with NoSuchMethodError where it writes to Kafka"
        confidence = "low"
    else:
        message = f"what is written to Kafka fails with NoSuchMethodError or ClassNotFoundException: the package is {of}, and runs on {on}"
        related.append((writer, "writes to Kafka"))
    return context.finding(message, dependency, related, severity="error" if across else "warning", confidence=confidence)


def _does(dependency: Dependency, version: tuple[int, ...], engine: tuple[int, ...]) -> tuple[bool, bool]:
    """Whether the package reads, and writes, on another Spark than its own.

    Tried with a broker, as batch and as stream: packages of 3.1 to 3.5 on Spark 3.2 to 3.5. What fails writing are `Cast$.apply$default$4`,
    `DataTypeUtils$` and `StructType.toAttributes`, reading a stream `SupportsTriggerAvailableNow`, which came with 3.3.
    """
    if version[0] != 3 or engine[0] != 3 or "spark-kafka" not in dict(engine_versions(dependency)):
        return False, False
    if version > engine:
        return engine >= (3, 3), False
    return True, version > (3, 0) and engine < (3, 4)


def _text(parts: tuple[int, ...]) -> str:
    return ".".join(map(str, parts))
