"""Backends by a name that no version of Flink knows."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import flink

_NAMES = ("hashmap", "rocksdb", "forst", "filesystem", "jobmanager")


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select("flink", ("cluster", "deployment", "sessionjob", "session", "command", "job")):
        found = job.get(block, flink.BACKEND)
        if found is None or not found.known:
            continue
        value = found.text.strip().strip("\"'")
        version = job.version("flink", block)
        early = value.lower() == "forst" and version is not None and version.below("2.0")
        if not value or "." in value or (value.lower() in _NAMES and not early):
            continue
        from difflib import get_close_matches  # only now: 2 ms that most runs need not pay

        close = get_close_matches(value.lower(), _NAMES[:3], 1, 0.75) if not early else []
        fixes = [context.replace(found, close[0], f"set it to {close[0]}", "unsafe")] if close else []
        why = "Flink has it since 2.0" if early else "the state backends are hashmap, rocksdb and, since 2.0, forst"
        yield context.finding(f"no job starts: `{value}` is taken for the name of a class that does not exist ({why})", found, fixes=fixes)
