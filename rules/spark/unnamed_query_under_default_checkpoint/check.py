"""`spark.sql.streaming.checkpointLocation` and a query with neither a checkpoint of its own nor a name.

Read in ResolveWriteToStream of Spark 3.5: the folder is the query's name, or a random UUID.
"""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import spark

_KEY = "spark.sql.streaming.checkpointLocation"
_DEBUG = ("console", "memory")


def check(job: Job, context: Context) -> Iterator[Finding]:
    defaults = [found for found in spark.of_the_session(job, _KEY) if not found.known or found.text.strip()]
    if not defaults:
        return
    for block in job.select("spark", ("writer",)):
        if block.open or block.trait("format") in _DEBUG:
            continue
        if spark.option(job, block, "checkpointLocation") or spark.option(job, block, "queryName"):
            continue
        message = (
            "the query begins anew at every start, its offsets and state forgotten: below the default checkpoint location a query without "
            "queryName() gets a folder with a random name"
        )
        local = spark.is_local(job, block)  # one process may still be what runs day and night, and somebody asked for checkpoints
        yield context.finding(
            message,
            block,
            [(defaults[-1], "the default location")],
            confidence="low" if block.trait("looks") else "medium" if local else "",
        )
