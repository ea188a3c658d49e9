"""`dropDuplicates` on a stream without a watermark, or with one whose column is not among the keys."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.frame import Frame
from shoal.python.tree import Call
from shoal.python.values import Sequence


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for call in module.named("dropDuplicates", "drop_duplicates", "distinct", "dropDuplicatesWithinWatermark"):
        streams = module.frames.streams(call.receiver_node, call.spot) or _watermarked(module, call)
        unknown = [] if streams else module.frames.shown_by_sink(call)  # a helper of another module may have set a watermark
        streams = streams or unknown
        if not streams or any(frame.steps("groupBy", "groupby") for frame in streams):
            continue
        sinks = module.frames.sinks_of(call)
        demo = "low" if unknown or (sinks and all(sink.demo for sink in sinks)) else ""
        if not any(frame.steps("withWatermark") for frame in streams):
            if call.name == "dropDuplicatesWithinWatermark":
                message = "the query is refused when it starts: there is no withWatermark above dropDuplicatesWithinWatermark"
                yield context.finding(message, module.call_place(call), severity="error", confidence="high", covers=[module.covers(call)])
            else:
                message = f"no withWatermark above {call.name}: every key ever seen is kept in state"
                yield context.finding(message, module.call_place(call), confidence=demo, covers=[module.covers(call)])
            continue
        if call.name == "dropDuplicatesWithinWatermark":
            continue
        marks = [column for frame in streams for column in _marks(module, frame)]
        keys = module.value(call.argument(0, "subset"), call.spot)
        if not all(marks) or not isinstance(keys, Sequence) or keys.open or any(_renamed(frame) for frame in streams):
            continue
        names = [module.string(node, keys.spot) for node in keys.nodes]
        if all(names) and not set(names) & set(marks) and not any("window" in name for name in names):
            message = (
                f"the watermark is on {marks[0]}, which is not among the keys, so no key is ever dropped: "
                "add it to the keys, or use dropDuplicatesWithinWatermark (Spark 3.5)"
            )
            yield context.finding(message, module.call_place(call), confidence=demo, covers=[module.covers(call)])


def _marks(module: Any, frame: Frame) -> list[str]:
    """The columns of the watermarks above a frame; of those that follow one another the last one's, which takes the others' place."""
    found = module.frames.watermarks(frame)
    for at in frame.line():
        if len(at.inputs) > 1:
            break
        if of_it := [column for column, step in found if step is at]:
            return of_it
    return [column for column, _ in found]


def _renamed(frame: Frame) -> bool:
    """Whether columns may have got other names between the watermark and the end."""
    for at in frame.line():
        if at.op == "withWatermark":
            return False
        if at.op in ("withColumnRenamed", "withColumnsRenamed", "select", "selectExpr", "toDF", "join"):
            return True
    return True


def _watermarked(module: Any, call: Call) -> list[Frame]:
    """The frames of unknown origin that a call is made on, if all have a watermark: only a stream makes something of it."""
    ways = module.frames.of(call.receiver_node, call.spot) if call.receiver_node is not None else ()
    return list(ways) if all(frame.steps("withWatermark") and not frame.followed for frame in ways) else []
