"""What the factories and the composer of pipelines throw for, when two options meet (sources of 3.2 to 3.6)."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block, Setting
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import cdc
from shoal.templates.common import text

_NEWLY, _BINLOG = "scan.newly-added-table.enabled", "scan.binlog.newly-added-table.enabled"
_PREFIX, _UID = "operator.uid.prefix", "schema.operator.uid"


def check(job: Job, context: Context) -> Iterator[Finding]:
    for pipeline in job.select("flink-cdc", ("pipeline",)):
        prefix, uid = job.written(pipeline, _PREFIX), job.written(pipeline, _UID)
        if prefix is not None and uid is not None:
            yield context.finding(f"the pipeline is refused: only one of {_PREFIX} and {_UID} may be set", uid, [(prefix, "the other one")])
        source, sink = cdc.side(job, pipeline, "source"), cdc.side(job, pipeline, "sink")
        mode = job.written(pipeline, "execution.runtime-mode")
        if source is not None and source.trait("connector") == "mysql":
            yield from _mysql(job, context, source, mode)
        guarantee = job.written(sink, "sink.delivery-guarantee") if sink is not None and sink.trait("connector") == "kafka" else None
        if guarantee is not None and text(guarantee) == "exactly-once":
            message = "the pipeline is refused: exactly-once needs a prefix for transactional ids, for which the Kafka sink of a pipeline has no option"
            yield context.finding(message, guarantee)


def _mysql(job: Job, context: Context, source: Block, mode: Setting | None) -> Iterator[Finding]:
    newly, binlog = job.written(source, _NEWLY), job.written(source, _BINLOG)
    if newly is not None and binlog is not None and text(newly) == text(binlog) == "true":
        yield context.finding(f"the pipeline is refused: {_BINLOG} and {_NEWLY} may not both be true", binlog, [(newly, "the other one")])
    if mode is None or text(mode) != "batch" or source.open:
        return
    start = job.written(source, "scan.startup.mode")
    if (start is None or start.known) and text(start) != "snapshot":
        said = f"scan.startup.mode is {text(start)}" if start is not None else "scan.startup.mode is not set, and initial by default"
        message = f"the pipeline is refused: in batch mode a mysql source reads a snapshot alone, and {said}"
        yield context.finding(message, start or mode, [(mode, "batch mode")] if start is not None else [(source, "the source")])
