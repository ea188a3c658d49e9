"""A sink that promises more than the mode of the checkpoints gives."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding

_KEYS = ("sink.delivery-guarantee", "delivery-guarantee", "sink.semantic")


def check(job: Job, context: Context) -> Iterator[Finding]:
    mode = job.effective_anywhere("flink", "execution.checkpointing.mode")
    if mode is None or not mode.known or mode.text.strip().upper() != "AT_LEAST_ONCE":
        return
    for block in job.select("flink", ("table", "sink")):
        for key in _KEYS:
            sink = job.get(block, key)
            if sink and sink.known and sink.text.strip().lower().replace("_", "-") == "exactly-once":
                message = "the sink writes duplicates in committed transactions after a failure: it is exactly-once, the checkpoints before it are AT_LEAST_ONCE"
                yield context.finding(message, sink, [(mode, "the mode of the checkpoints")])
