"""`withWatermark(column, delay)` and `window(column, length, slide)`."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.values import Bad
from shoal.values.spark import parse_interval

_DURATIONS = {
    "withWatermark": (("delayThreshold", 1, "delay"),),
    "window": (("windowDuration", 1, "window"), ("slideDuration", 2, "slide"), ("startTime", 3, "offset")),
    "session_window": (("gapDuration", 1, "gap"),),
}


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for call in module.named(*_DURATIONS):
        if call.name == "withWatermark":
            if call.receiver_node is None:
                continue
        elif not module.qualified(call).startswith("pyspark.sql.functions."):
            continue
        for keyword, position, what in _DURATIONS[call.name]:
            node = call.argument(position, keyword)
            text = module.constant(node, call.spot) if node is not None else None
            if not isinstance(text, str):
                continue
            found = parse_interval(text)
            if not isinstance(found, Bad) or (keyword == "startTime" and text.lstrip().startswith("-")):
                continue
            hint = f"; write `{found.suggestion}`" if found.suggestion else ""
            message = f"the script fails here: a {what} cannot be `{text}`, {found.why}{hint}"
            yield context.finding(message, module.place(node, call.spot), covers=[module.covers(call)])
