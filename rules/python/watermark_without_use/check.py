"""`withWatermark` with only stateless steps between it and every sink, or on a micro-batch or another batch.

What stands above the watermark does not matter, and need not be in sight: state that was kept there has no use for a watermark that comes later.

A batch frame has no watermark: `EliminateEventTimeWatermark` of Spark's analyzer takes it away.
"""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.frame import BATCH, GROUPINGS, MEETINGS, MICRO_BATCH, Frame
from shoal.python.tree import Call
from shoal.python.values import names

# Steps that look at one row at a time, or keep rows as they are.
_PLAIN = names(
    "select selectExpr withColumn withColumns withColumnRenamed withColumnsRenamed filter where drop alias toDF repartition coalesce hint "
    "withWatermark union unionAll unionByName na.fill na.drop na.replace fillna dropna replace withMetadata to"
)
_STATEFUL = (*GROUPINGS, *(MEETINGS - _PLAIN), "dropDuplicates", "drop_duplicates", "dropDuplicatesWithinWatermark", "distinct", "agg")
# What reads a frame by a name that is not followed everywhere.
_VIEWS = names("createOrReplaceTempView createTempView createGlobalTempView createOrReplaceGlobalTempView registerTempTable")


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for call in module.named("withWatermark"):
        ways = module.frames.receivers(call)
        if ways and all(set(frame.roots()) == {MICRO_BATCH} for frame in ways):
            message = "this watermark does nothing: what foreachBatch is given is no stream, and no row of it comes too late; set it on the stream, before writeStream"
            yield context.finding(message, module.call_place(call), severity="warning", confidence="medium", covers=[module.covers(call)])
            continue
        if ways and all(set(frame.roots()) == {BATCH} and _read_here(call, frame) for frame in ways):
            message = "this watermark does nothing: what it is set on was read as a batch, and no row of that comes too late; it belongs on what readStream gives"
            yield context.finding(message, module.call_place(call), severity="warning", confidence="medium", covers=[module.covers(call)])
            continue
        sinks = module.frames.sinks_of(call)
        if not sinks or not all(_plain(frame, call) for sink in sinks for frame in sink.frames):
            continue
        used = [*module.named(*_STATEFUL), *module.named(*_VIEWS)]
        if any(at.node is call.node for other in used for frame in module.frames.of(other.node, other.spot) for at in frame.all()):
            continue
        message = "this watermark does nothing: no aggregation, join or deduplication follows that it could bound, and late rows pass as all others"
        yield context.finding(message, module.call_place(call), covers=[module.covers(call)])


def _read_here(call: Call, frame: Frame) -> bool:
    """Whether all that a frame is made of is read where the call stands: a function may be given a stream as well."""
    return all(at.spot.function is call.function for at in frame.all() if not at.inputs)


def _plain(frame: Frame, call: Call) -> bool:
    """Whether all that is made of what the call gives keeps no state."""
    return all(at.op in _PLAIN for at in frame.all() if any(below.node is call.node for below in at.all()))
