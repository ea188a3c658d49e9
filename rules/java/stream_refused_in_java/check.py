"""What `stream-sink-refused`, `stream-source-refused` and `output-mode-refused` say of PySpark, as far as options and formats tell it, of programs in Java."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import spark


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Whoever makes the session may say that schemas are inferred: what lacks one is told with medium confidence beside a session, and with low confidence elsewhere."""
    for block in job.select("spark", ("writer",), ("java",)):
        if why := spark.sink_lacks(job, block):
            yield context.finding(f"the query fails to start: {why}", block)
            continue
        mode = spark.option(job, block, "outputMode")
        if mode is None or not mode.known or mode.sure != "sure" or not block.trait("start"):
            continue
        if why := spark.sink_refuses_mode(block.trait("format"), mode.text.strip().lower()):
            yield context.finding(f"the query is refused when it starts: {why}", mode)
    for block in job.select("spark", ("reader",), ("java",)):
        if not block.open and block.trait("loads") and (why := spark.source_lacks(job, block, inferred=False)):
            sure = "" if "schema" not in why else "medium" if block.parent else "low"
            yield context.finding(f"the query fails to start: {why}", block, confidence=sure)
