"""`spec.job.jarURI` of a Flink resource that names a Python script."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding

_DRIVER = "org.apache.flink.client.python.PythonDriver"


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select("flink", ("deployment", "sessionjob")):
        jar, entry = job.written(block, "spec.job.jarURI"), job.written(block, "spec.job.entryClass")
        if jar is None or not jar.text.strip().lower().endswith(".py") or (entry is None and block.open):
            continue
        if entry is None or (entry.known and entry.text.strip() != _DRIVER):
            message = f"the job does not start: Flink opens this as a jar and looks for a main class in it; scripts are run by entryClass {_DRIVER} with `-py` among its args"
            yield context.finding(message, jar, [(entry, "which is looked for in it")] if entry is not None else [])
