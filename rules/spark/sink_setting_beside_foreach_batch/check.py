"""What a writer is told of a sink, beside the function that takes the sink's place.

Tried on Spark 4.3: partitionBy ends in «'foreachBatch' does not support partitioning.», toTable in DATA_SOURCE_NOT_FOUND, and options and a path are passed over.
"""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding

# What the query itself reads, whatever its sink, and what the writer's methods say.
_OF_QUERY = ("checkpointlocation", "asyncprogress", "queryname", "trigger", "outputmode", "_")
# Of readers, which another rule speaks of.
_OF_READERS = frozenset(
    {"failondataloss", "startingoffsets", "endingoffsets", "subscribe", "subscribepattern", "maxoffsetspertrigger", "minpartitions"}
)


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for sink in module.frames.sinks():
        function = next((name for name in ("foreachBatch", "foreach") if name in sink.calls), "")
        if not function:
            continue
        order, form = list(sink.calls), sink.calls.get("format")
        if form is not None and order.index("format") < order.index(function):
            message = f"this format has no effect: {function} behind it takes the place of the sink"
            yield context.finding(message, module.call_place(form), severity="info", confidence="low", covers=[module.covers(form)])
        for name, why in (("partitionBy", "does not support partitioning"), ("toTable", "is no format of a table")):
            if name in sink.calls and (function == "foreachBatch" or name == "partitionBy"):
                where = "say so to the writer of the batch" if function == "foreachBatch" else "the function writes where it likes"
                message = f"the query fails when it starts: {function} {why} ({where})"
                at = sink.calls[name]
                yield context.finding(message, module.call_place(at), severity="error", covers=[module.covers(at)])
    for block in job.select("spark", ("writer",), ("python",)):
        if block.trait("foreachBatch") != "true":
            continue
        unread = [
            setting
            for setting in job.of(block)
            if setting.key not in ("format", "path")
            and not setting.key.lower().startswith(_OF_QUERY)
            and setting.key.lower() not in _OF_READERS
        ]
        if unread:
            message = f"{unread[0].key} has no effect: foreachBatch takes the place of the sink, and the writer of the batch is told nothing of it (give it there)"
            related = [(setting, "nor this") for setting in unread[1:9]]
            yield context.finding(message, unread[0].key_place(label=unread[0].key), related, covers=[unread[0]])
