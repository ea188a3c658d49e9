"""Connectors with a number of Flink's after they went their own way, and Scala suffixes after most artifacts lost theirs. Looked up on Maven Central in November 2026."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job, numbers
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.templates.releases import connector

# The last minor version of Flink with which each was released; from then on they have numbers of their own, with Flink's behind them.
_LAST = {
    **dict.fromkeys(("kafka", "hbase-1.4", "hbase-2.2"), (1, 17)),
    **dict.fromkeys(("jdbc", "elasticsearch6", "elasticsearch7", "kinesis", "rabbitmq", "cassandra", "pulsar", "gcp-pubsub"), (1, 16)),
}
_NAME = pattern(r"(?:org\.apache\.flink:)?flink-(?:sql-)?connector-([a-z][a-z0-9-]*(?:\.\d)?)(?:_2\.1[123])?")
_SUFFIXED = pattern(r"(?:org\.apache\.flink:)?flink-([a-z][a-z0-9-]*(?:\.\d)?)_2\.1[123]")
# These have no Scala in their names since 1.15; others (flink-table-planner, flink-connector-cassandra, what is for Scala) still have.
_PLAIN = frozenset(
    {
        *("streaming-java", "clients", "table-api-java-bridge", "cep", "statebackend-rocksdb", "runtime-web", "test-utils"),
        *(f"{kind}connector-{name}" for kind in ("", "sql-") for name in _LAST if name != "cassandra"),
    }
)
_NUMBER = pattern(r"\d+\.\d+\.\d+")


def check(job: Job, context: Context) -> Iterator[Finding]:
    # a script that fetches 3.2.0-1.19 may keep it under a shorter name
    fetched = {(jar.name.rpartition(":")[2], jar.version.partition("-")[0]) for jar in job.dependencies if "-" in jar.version}
    downloads = {usage.place[:2] for usage in job.usages("jar-fetched")}
    for dependency in job.dependencies:
        if dependency.ecosystem not in ("maven", "jar") or not dependency.exact or not _NUMBER.fullmatch(dependency.version):
            continue
        built = numbers(dependency.version)[:2]
        artifact = dependency.name.rpartition(":")[2]
        if dependency.ecosystem == "jar" and (artifact, dependency.version) in fetched:
            continue
        suffixed, named = _SUFFIXED.fullmatch(dependency.name), _NAME.fullmatch(dependency.name)
        if suffixed is not None and suffixed.group(1) in _PLAIN and built >= (1, 15):
            plain = artifact.rpartition("_")[0]
            why = f"since 1.15 it is called {plain}, without Scala's version"
        elif named is not None and named.group(1) in _LAST and built > _LAST[named.group(1)]:
            last = ".".join(map(str, _LAST[named.group(1)]))
            newer = connector(artifact, ".".join(map(str, built)))
            like = f"{newer}" if newer else "3.0.0-1.17"
            why = f"the last one with Flink's number is that of {last}, after which it has a number of its own, with Flink's behind it (like {like})"
        else:
            continue
        # the name of a file can be anybody's; where it is downloaded it is Maven's
        sure = "" if dependency.ecosystem == "maven" else "medium" if dependency.place[:2] in downloads else "low"
        message = f"there is no {artifact} {dependency.version}, and what asks for it fails: {why}"
        yield context.finding(message, dependency, confidence=sure)
