"""Sinks that write a batch when it is full, and at no other time."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.jobs import questions
from shoal.model import Finding
from shoal.templates import tables


def check(job: Job, context: Context) -> Iterator[Finding]:
    """A checkpoint writes what has been collected, and so does the end of the job's input. Sources that cannot be seen may have one: low confidence."""
    if job.kind != "job" or tables.checkpoints(job) or questions.batch(job) or not questions.only_config_unseen(job, handed_on=True):
        return
    sources = tables.sources(job)
    endless = any(not tables.ends(job, block) for block in sources)
    if sources and not endless:
        return
    for usage in job.usages("rows-waiting"):
        message = f"up to {int(usage.detail) - 1:,} records wait in memory until more come, and are lost with the process: a batch is {int(usage.detail):,} of them, no interval is set (there is none by default), and no checkpoint writes what is there"
        sure = questions.surely_absent(job) if endless else "low"
        yield context.finding(message, usage.place._replace(label=usage.detail), questions.looked(job, usage.place), confidence=sure)
