"""Spark data frames: where one comes from and what has been done to it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import libcst as cst

from shoal.python.tree import Call, Function
from shoal.python.values import Object

if TYPE_CHECKING:
    from shoal.python.module import Module

WATERMARKS = frozenset({"withWatermark"})
ACTIONS = frozenset("count collect show toPandas take first head foreach foreachPartition isEmpty toLocalIterator tail".split())
SAVES = frozenset("save saveAsTable insertInto jdbc parquet json csv orc text append overwrite overwritePartitions create createOrReplace replace".split())


def streaming(frame: Object) -> bool:
    """Whether a frame surely comes from `readStream`."""
    return any(step.type == "spark.Reader" for step in frame.line())


def steps(frame: Object) -> list[str]:
    """The methods that made a frame, newest first."""
    return [step.call for step in frame.line()]


def watermarked(frame: Object) -> bool:
    """Whether an event-time watermark is set above a frame, on its own line or on a side it was joined with."""
    return "withWatermark" in steps(frame)


def watermark_columns(module: Module, frame: Object) -> list[str]:
    """The columns named in `withWatermark`; an empty text for one that is not known."""
    found = []
    for step in frame.line():
        if step.call == "withWatermark" and isinstance(step.node, cst.Call) and step.node.args:
            found.append(module.string(step.node.args[0].value, step.spot))
    return found


def frames(module: Module, call: Call) -> list[Object]:
    """The frames a method is called on."""
    return [obj for obj in module.receivers(call) if obj.type == "spark.DataFrame"]


def writers(module: Module, made_by: Any) -> Iterator[tuple[Object, dict[str, Call]]]:
    """Streaming writers of frames that come from a call, with the calls of the writer's own methods."""
    found: dict[int, tuple[Object, dict[str, Call]]] = {}
    for call in module.named("outputMode", "start", "format", "toTable", "foreachBatch", "trigger"):
        for obj in module.receivers(call):
            if obj.type == "spark.Writer" and any(step.node is made_by for step in obj.line()):
                found.setdefault(id(obj.node), (obj, {}))[1][call.name] = call
    yield from found.values()


def batch_calls(module: Module, function: Function) -> list[tuple[Call, str]]:
    """What a foreachBatch function does with its batch: (call, `action` or `save`), in order, without what persisted frames do."""
    found = []
    for call in function.calls:
        if call.name in ACTIONS:
            for obj in frames(module, call):
                if "foreachBatch" in steps(obj):
                    found.append((call, "action"))
                    break
        elif call.name in SAVES:
            for obj in module.receivers(call):
                if obj.type == "spark.BatchWriter" and "foreachBatch" in steps(obj):
                    found.append((call, "save"))
                    break
    return found
