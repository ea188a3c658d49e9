"""Backend names that mixed up state and storage, and are gone."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import flink


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select("flink", ("cluster", "deployment", "sessionjob", "session", "command", "job")):
        found = job.get(block, flink.BACKEND)
        if found is None or not found.known or found.text.strip().lower() not in ("filesystem", "jobmanager"):
            continue
        value = found.text.strip()
        version = job.version("flink", block)
        fixes = [context.replace(found, "hashmap", "set it to hashmap, which keeps state on the heap as before", "unsafe")]
        if version is not None and version.at_least("2.0"):
            message = f"no job starts on Flink {version.text}: it takes `{value}` for the name of a class and does not find it (a backend is hashmap, rocksdb or forst)"
            yield context.finding(message, found, [(version.source, "the version")], fixes=fixes)
