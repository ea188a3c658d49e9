"""`ReadFromKafka` without `dynamic_read_poll_interval_seconds`, which the Python SDK has since 2.67.0 (read in the released wheels)."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import beam


def check(job: Job, context: Context) -> Iterator[Finding]:
    """An unbounded read streams on Flink, whether or not an option says so."""
    pipelines = [block for block in job.select("beam", ("pipeline",)) if beam.on_flink(job, block)]
    if not pipelines:
        return
    for read in job.select("beam", ("transform",)):
        if read.name != "ReadFromKafka" or read.open or job.get(read, "dynamic_read_poll_interval_seconds") is not None:
            continue
        if any(job.get(read, key) is not None for key in ("max_num_records", "max_read_time", "stop_read_time")):
            continue
        version = job.version("beam")
        way = "set dynamic_read_poll_interval_seconds"
        if version is not None and version.below("2.67.0"):
            way = f"Beam {version.text} has no dynamic_read_poll_interval_seconds, which came with 2.67.0"
        message = f"partitions that are added to the topic later are never read, not even after a restore: the partitions are listed once, at the start; {way}"
        yield context.finding(message, read, [(pipelines[0], "runs on Flink")])
