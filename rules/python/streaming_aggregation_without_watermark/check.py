"""`groupBy` on a frame from `readStream` with no `withWatermark` above it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python import frames
from shoal.python.tree import Call, dotted


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for call in module.named("groupBy", "groupby", "rollup", "cube"):
        inputs = frames.frames(module, call)
        if not inputs or not all(frames.streaming(frame) for frame in inputs) or any(frames.watermarked(frame) for frame in inputs):
            continue
        if any("applyInPandasWithState" in (other.name,) and other.receiver_node is call.node for other in module.named("applyInPandasWithState", "transformWithState")):
            continue  # the function keeps its own state, with its own timeout
        windowed = _windowed(module, call)
        modes = {
            module.string(calls["outputMode"].node.args[0].value, calls["outputMode"].spot).lower()
            for _, calls in frames.writers(module, call.node)
            if "outputMode" in calls and calls["outputMode"].node.args
        }
        if modes == {"append"}:
            message = "an aggregation without a watermark cannot be written in append mode: the query is refused when it starts"
            yield context.finding(message, module.call_place(call), severity="error", confidence="high", covers=[module.covers(call)])
            continue
        if windowed:
            message = "no withWatermark above this windowed aggregation: the state of every window there ever was is kept, until the executors run out of memory"
        else:
            message = "no withWatermark above this aggregation: the state of every key there ever was is kept, which is fine only for a fixed set of keys"
        yield context.finding(message, module.call_place(call), confidence="high" if windowed else "low", covers=[module.covers(call)])


def _windowed(module: Any, call: Call) -> bool:
    """Whether one of the keys is a time window, written in place or under a name."""
    for arg in call.node.args:
        nodes = [arg.value]
        value = arg.value
        if isinstance(value, cst.Name):
            nodes += [binding.node for binding, _ in module.lookup(value.value, call.spot) if binding.kind == "assign"]
        if isinstance(value, (cst.List, cst.Tuple)):
            nodes += [element.value for element in value.elements]
        for node in nodes:
            while isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute) and node.func.attr.value in ("alias", "name"):
                node = node.func.value
            if isinstance(node, cst.Call) and dotted(node.func).rsplit(".", 1)[-1] in ("window", "session_window", "window_time"):
                return True
    return False
