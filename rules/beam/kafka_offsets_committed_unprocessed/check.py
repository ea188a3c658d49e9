"""`enable.auto.commit=true` in a Beam read, alone or beside `commit_offset_in_finalize`."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import beam


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select("kafka", ("consumer",)):
        read = job.parent(block)
        auto = job.get(block, "enable.auto.commit")
        if read is None or read.engine != "beam" or beam.text(auto) != "true" or auto is None:
            continue
        finalize = job.get(read, "commit_offset_in_finalize")
        if beam.text(finalize) == "true" and finalize is not None:
            message = "offsets are committed twice: by a timer as records are polled, and after a checkpoint by commit_offset_in_finalize, which the timer runs ahead of"
            yield context.finding(message, auto, [(finalize, "the right one of the two")])
        else:
            message = "offsets are committed by a timer as records are polled: what was in flight when the pipeline fails counts as read, and a start from the group's offsets skips it"
            yield context.finding(message, auto)
