"""The timeout of a group's state, and what its function sets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.values import Known, Symbol

_WANTED = {"setTimeoutDuration": "ProcessingTimeTimeout", "setTimeoutTimestamp": "EventTimeTimeout"}
_MODES = ("NoTimeout", "ProcessingTimeTimeout", "EventTimeTimeout")


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for call in module.named("applyInPandasWithState"):
        conf, given = call.argument(4, "timeoutConf"), call.argument(0, "func")
        mode = _mode(module, conf, call.spot) if conf is not None else ""
        if not mode or given is None:
            continue
        if mode == "EventTimeTimeout" and "withWatermark" not in module.raw and "readStream" in module.raw:
            message = "the query is refused when it starts: an event-time timeout needs a watermark, and none is set on the stream"
            yield context.finding(message, module.place(conf, call.spot), confidence="medium")
        for function in module.function_of(given, call.spot):
            state = function.params[2].name if len(function.params) == 3 else ""
            for setter in function.calls:
                wanted = _WANTED.get(setter.name)
                named = isinstance(setter.receiver_node, cst.Name) and setter.receiver_node.value == state
                if wanted and wanted != mode and named and not setter.spot.guarded:
                    message = (
                        f"fails the query with the first group that gets here: {setter.name}() is for {wanted}, and the timeout is {mode}"
                    )
                    yield context.finding(message, module.call_place(setter), [(module.place(conf, call.spot), "the timeout")])


def _mode(module: Any, node: Any, spot: Any) -> str:
    value = module.value(node, spot)
    text = value.last if isinstance(value, Symbol) else value.value if isinstance(value, Known) else ""
    return text if text in _MODES else ""
