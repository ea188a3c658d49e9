"""Paths that Flink cannot read as a URI with a scheme."""

from __future__ import annotations

import re
from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import flink


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select("flink", ("cluster", "deployment", "sessionjob", "session", "command", "job")):
        for key in (flink.CHECKPOINT_DIR, flink.SAVEPOINT_DIR):
            found = job.get(block, key)
            if found is None or not found.known:
                continue
            path = found.text.strip().strip("\"'")
            if not path or flink.scheme(path) or re.match(r"[A-Za-z]:", path):
                continue
            fixes = [context.replace(found, f"file://{path}", f"write file://{path}", "unsafe")] if path.startswith("/") else []
            message = f"no job with checkpoints starts: `{path}` has no scheme (file://, s3://, hdfs://), and Flink does not take it for a local path"
            yield context.finding(message, found, fixes=fixes)
