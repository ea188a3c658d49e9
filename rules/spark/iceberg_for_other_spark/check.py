"""The Spark in the name of an `iceberg-spark-runtime` against the Spark of the job.

Tried: the runtime for 3.5 on Spark 4.1, those for 3.3 and 4.0 on 3.5, that for 4.0 on 4.3 fail at the first statement; that for 3.4 on 3.5 creates and
appends, and fails in MERGE and in procedures (NoSuchMethodError, INTERNAL_ERROR); that for 4.0 works on 4.1, where nothing is said. With 1.4.3: that for 3.3 fails at the first
statement on 3.4.4 and on 3.5.5 (NoClassDefFoundError: AnsiCast); that for 3.5 on 3.4.4 creates, appends, streams, deletes and overwrites, and fails in MERGE and UPDATE
(SparkUnsupportedOperationException) and in procedures (NoClassDefFoundError). That for 3.2 (1.3.1) works on 3.3.4 up to MERGE, UPDATE, DELETE and procedures, and fails
at the first statement on 3.4.4 and 3.5.5 (AnsiCast); that for 3.4 (1.5.2) fails at the first on 3.3.4 (ResolvedIdentifier), and on 3.5.5 in MERGE, UPDATE and procedures.
"""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job, numbers
from shoal.model import Finding
from shoal.readers.versions import engine_versions
from shoal.templates import spark

# Runtimes that ask at once for a class which Spark has up to this version, or from it on.
_UP_TO = {(3, 2): ("AnsiCast", (3, 3)), (3, 3): ("AnsiCast", (3, 3))}
_FROM = {(3, 4): ("ResolvedIdentifier", (3, 4))}


def check(job: Job, context: Context) -> Iterator[Finding]:
    for dependency in job.dependencies:
        says = dict(engine_versions(dependency))
        built = numbers(says.get("spark", "")) if "iceberg" in says else ()
        version = spark.runs_on(job, dependency) if len(built) == 2 and spark.resolved(job, dependency) else None
        if version is None or built == version.parts[:2]:
            continue
        related = [(version.source, f"Spark {version.text}")]
        text = ".".join(map(str, built))
        if built[0] != version.parts[0]:
            message = f"Iceberg cannot be loaded: this runtime is built for Spark {text}, and runs on {version.text}, which has other classes and another Scala"
            yield context.finding(message, dependency, related, confidence="medium" if version.source.ecosystem == "pypi" else "")
        elif asked := _missing(built, version.parts[:2]):
            message = f"every statement that meets Iceberg fails with NoClassDefFoundError: this runtime is built for Spark {text}, and runs on {version.text}, which has no {asked}"
            yield context.finding(message, dependency, related, confidence="medium" if version.source.ecosystem == "pypi" else "")
        elif built[0] == 3 or abs(built[1] - version.parts[1]) > 1:
            message = (
                f"this runtime is built for Spark {text}, and runs on {version.text}: MERGE, UPDATE and procedures, if not every statement, fail "
                "(NoSuchMethodError, NoClassDefFoundError, INTERNAL_ERROR)"
            )
            yield context.finding(message, dependency, related, severity="warning", confidence="medium")


def _missing(built: tuple[int, ...], runs: tuple[int, ...]) -> str:
    """The class that a runtime needs for whatever it does, where this version of Spark does not have it; else nothing."""
    if built in _UP_TO and runs > _UP_TO[built][1]:
        return _UP_TO[built][0]
    return _FROM[built][0] if built in _FROM and runs < _FROM[built][1] else ""
