"""A writer that is started without `checkpointLocation`, where no default is set either.

Tried on 3.5.9: console, memory, noop, foreachBatch and foreach run on a temporary folder; tables and every other format refuse.
"""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block
from shoal.job import Job
from shoal.model import Finding, Place
from shoal.templates import spark

_TEMPORARY = frozenset(["console", "memory", "noop", "foreach", "foreachbatch"])
_KEY = "spark.sql.streaming.checkpointLocation"
_DELETES = "spark.sql.streaming.forceDeleteTempCheckpointLocation"


def check(job: Job, context: Context) -> Iterator[Finding]:
    """A demo in one process may lose its offsets, so of one little is said."""
    if spark.of_the_session(job, _KEY):
        return
    for block in job.select("spark", ("writer",)):
        form = block.trait("format")
        each = next((name for name in ("foreachBatch", "foreach") if block.trait(name)), "")
        if block.open or not block.trait("start") or (spark.option(job, block, "checkpointLocation") is not None):
            continue
        parent = job.parent(block)
        local = spark.is_local(job, block) or (parent is not None and spark.is_local(job, parent))
        # a class of Java may well be given its session by a framework, which nothing of the job names
        given = block.form == "java" and not job.select("spark", ("job",))
        table = block.trait("start") == "toTable"
        if not each and (table or (form and form not in _TEMPORARY)):
            message = f"the query is refused when it starts: a {'table' if table else form} sink needs a checkpointLocation, and {_KEY} is not set either"
            yield context.finding(message, block, job.looked_in("spark", block.place.path)[:6], confidence="low" if given else "")
        elif each:  # a format beside it is that of foreachBatch, or refused for want of the same
            message = f"offsets and state are kept in a temporary folder and gone with the driver: {each} without a checkpointLocation begins anew at every start"
            deleted = [(one.place(), "deletes it after a failure, too") for one in job.anywhere("spark", _DELETES) if one.text == "true"]
            related = [*_at_the_end(job, block), *deleted, *job.looked_in("spark", block.place.path)[:6]]
            yield context.finding(
                message, block, related, confidence="low" if local or given or block.trait("looks") else "medium" if form else ""
            )


def _at_the_end(job: Job, writer: Block) -> list[tuple[Place, str]]:
    """Where the file's source of Kafka says, or leaves it to the default, that it begins at the end."""
    for reader in job.select("spark", ("reader",)):
        start = spark.option(job, reader, "startingOffsets")
        if reader.trait("format") != "kafka" or reader.place.path != writer.place.path or reader.open:
            continue
        if start is None or (start.known and start.text.strip() == "latest"):
            return [(start.place() if start is not None else reader.place, "with no offsets to go back to, this begins at the end")]
    return []
