"""`writeStream.format("memory")` of a query that nothing ends. Spark's MemorySink drops what it has only in complete mode."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding

# A service answers from the table for as long as it runs.
_SERVES = pattern(r"(?m)^\s*(?:from|import)\s+(?:fastapi|flask|starlette|django|aiohttp|sanic|tornado|dash)\b")
# Who ends the query, or waits until it has taken what is there, only looks.
_ENDS = ("stop", "processAllAvailable")


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    if module.notebook or module.named(*_ENDS) or any(call.node.args for call in module.named("awaitTermination", "awaitAnyTermination")):
        return
    if any(function.name.startswith("test_") for function in module.functions):
        return
    serves = _SERVES.search(module.text.text) is not None
    seen = set()
    for sink in module.frames.sinks():
        form = sink.calls.get("format")
        if form is None or sink.format != "memory" or sink.mode not in ("append", "update") or sink.ends or id(form.node) in seen:
            continue
        seen.add(id(form.node))
        message = f"the memory sink keeps every row of every batch in the driver until the query ends (outputMode {sink.mode}): in the end there is no memory left"
        yield context.finding(message, module.call_place(form), confidence="medium" if serves else "low", covers=[module.covers(form)])
