"""`flink-connector-kafka` as a file among Flink's jars: it holds the connector's own classes, and none of Kafka's (looked up in 1.15.1 and 3.4.0-1.20)."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding

_BARE = pattern(r"flink-connector-kafka(?:_2\.1[123])?")
# What has the client's classes in it, or brings them along.
_CLIENT = pattern(r"kafka-clients|flink-sql-connector-kafka(?:_2\.1[123])?")


def check(job: Job, context: Context) -> Iterator[Finding]:
    names = [(dependency.ecosystem, dependency.name.rpartition(":")[2]) for dependency in job.dependencies]
    if any(_CLIENT.fullmatch(name) or (kind == "maven" and _BARE.fullmatch(name)) for kind, name in names):
        return
    said = set()
    for dependency in job.dependencies:
        where = (dependency.place.path, dependency.name)
        if dependency.ecosystem == "jar" and _BARE.fullmatch(dependency.name) and where not in said:
            said.add(where)
            message = (
                f"Kafka's client is missing: {dependency.name} has only the connector's classes in it, no kafka-clients lies beside it, and the first "
                "table or source ends with a NoClassDefFoundError (flink-sql-connector-kafka has both)"
            )
            yield context.finding(message, dependency)
