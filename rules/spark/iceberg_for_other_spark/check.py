"""The Spark in the name of an `iceberg-spark-runtime` against the Spark of the job.

Tried: the runtime for 3.5 on Spark 4.1, those for 3.3 and 4.0 on 3.5, that for 4.0 on 4.3 fail at the first statement; that for 3.4 on 3.5 creates and
appends, and fails in MERGE and in procedures (NoSuchMethodError, INTERNAL_ERROR); that for 4.0 works on 4.1, where nothing is said.
"""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Dependency
from shoal.job import Job, numbers
from shoal.model import Finding
from shoal.readers.versions import engine_versions


def check(job: Job, context: Context) -> Iterator[Finding]:
    version = job.version("spark")
    if version is None or len(version.parts) < 2 or not _is_spark(version.source) or job.outside:
        return
    submitted = any(_role(job, dependency) == "submit" and dependency.ecosystem == "maven" for dependency in job.dependencies)
    for dependency in job.dependencies:
        says = dict(engine_versions(dependency))
        built = numbers(says.get("spark", "")) if "iceberg" in says else ()
        if len(built) != 2 or built == version.parts[:2] or (submitted and _role(job, dependency) == "job"):
            continue  # packages that code names are not resolved any more once spark-submit was given some
        block = job.blocks.get(dependency.block)
        if version.source.ecosystem == "pypi" and block is not None and block.trait("inside") == "container":
            continue  # the Spark of a running container is not the PySpark that the project pins
        related = [(version.source, f"Spark {version.text}")]
        text = ".".join(map(str, built))
        if built[0] != version.parts[0]:
            message = f"Iceberg cannot be loaded: this runtime is built for Spark {text}, and runs on {version.text}, which has other classes and another Scala"
            yield context.finding(message, dependency, related, confidence="medium" if version.source.ecosystem == "pypi" else "")
        elif built[0] == 3 or abs(built[1] - version.parts[1]) > 1:
            message = (
                f"this runtime is built for Spark {text}, and runs on {version.text}: MERGE and procedures, if not every statement, fail with "
                "NoSuchMethodError or an INTERNAL_ERROR"
            )
            yield context.finding(message, dependency, related, severity="warning", confidence="medium")


def _is_spark(source: Dependency) -> bool:
    """Whether a version is that of what runs, not of something built for it."""
    return source.name == "pyspark" if source.ecosystem == "pypi" else source.ecosystem in ("image", "archive")


def _role(job: Job, dependency: Dependency) -> str:
    block = job.blocks.get(dependency.block)
    return block.role if block is not None else ""
