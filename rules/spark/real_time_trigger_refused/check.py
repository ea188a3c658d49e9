"""`trigger(realTime=…)` with what the mode does not have. Tried on PySpark 4.3.0."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import spark

# Sinks of files, tables and memory; of others (console, kafka, somebody's own) it is not known, or they are had.
_REFUSED = spark.FILES | {"delta", "iceberg", "hudi", "memory", "noop"}
_LETS_PASS = "spark.sql.streaming.realTimeMode.allowlistCheck"


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select("spark", ("writer",)):
        found = job.get(block, "trigger.realTime")
        if found is None or block.open or found.sure == "branch":
            continue
        mode = spark.option(job, block, "outputMode")
        if mode is None or (mode.known and spark.text(mode) in ("append", "complete")):
            said = "append, the default" if mode is None else spark.text(mode)
            message = f"the query is refused when it starts: real-time mode has the output mode update alone, not {said}"
            yield context.finding(message, found, [(mode, "the output mode")] if mode is not None else [])
        elif not any(spark.text(one) != "true" for one in job.anywhere("spark", _LETS_PASS)):
            sink = _refused(block)
            if sink:
                yield context.finding(f"the query is refused when it starts: real-time mode does not write to {sink}", found)


def _refused(block: Block) -> str:
    """What a query writes to, where the mode surely does not have it."""
    if block.trait("foreachBatch"):
        return "foreachBatch"
    if block.trait("start") == "toTable":
        return "a table"
    form = block.trait("format")
    return form if form in _REFUSED else ""
