"""A sink that promises more than the mode of the checkpoints gives."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding

_KEYS = ("sink.delivery-guarantee", "delivery-guarantee", "sink.semantic")


def check(job: Job, context: Context) -> Iterator[Finding]:
    modes = [
        setting
        for block in job.select("flink", ("session", "job", "cluster", "deployment", "command"))
        if (setting := job.get(block, "execution.checkpointing.mode")) and setting.known
    ]
    weak = [mode for mode in modes if mode.text.strip().upper() == "AT_LEAST_ONCE"]
    if not weak or len(weak) != len(modes):
        return
    for block in job.select("flink", ("table", "sink")):
        for key in _KEYS:
            sink = job.get(block, key)
            if sink and sink.known and sink.text.strip().lower().replace("_", "-") == "exactly-once":
                message = "the sink writes duplicates in committed transactions after a failure: it is exactly-once, the checkpoints before it are AT_LEAST_ONCE"
                yield context.finding(message, sink, [(weak[-1], "the mode of the checkpoints")])
