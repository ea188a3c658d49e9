"""`dropDuplicates` on a stream without a watermark, or with one whose column is not among the keys."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python import frames
from shoal.python.values import Sequence


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for call in module.named("dropDuplicates", "drop_duplicates", "distinct"):
        inputs = frames.frames(module, call)
        if not inputs or not all(frames.streaming(frame) for frame in inputs):
            continue
        if not any(frames.watermarked(frame) for frame in inputs):
            message = f"no withWatermark above {call.name}: every key ever seen is kept in state"
            yield context.finding(message, module.call_place(call), covers=[module.covers(call)])
            continue
        columns = [column for frame in inputs for column in frames.watermark_columns(module, frame)]
        keys = module.value(call.argument(0, "subset"), call.spot)
        if not columns or not all(columns) or not isinstance(keys, Sequence) or keys.open:
            continue
        names = [module.string(node, keys.spot) for node in keys.nodes]
        if all(names) and not set(names) & set(columns) and not any("window" in name for name in names):
            message = (
                f"the watermark is on {columns[0]}, which is not among the keys, so no key is ever dropped: "
                "add it to the keys, or use dropDuplicatesWithinWatermark (Spark 3.5)"
            )
            yield context.finding(message, module.call_place(call), covers=[module.covers(call)])
