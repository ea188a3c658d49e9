"""`max_num_records` or `max_read_time` of `ReadFromKafka` in a pipeline that says it streams."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import beam
from shoal.values.kafka import parse_long


def check(job: Job, context: Context) -> Iterator[Finding]:
    """A limit that comes from the command line is somebody's decision; a literal one has been left in."""
    streaming = beam.streaming(job)
    if streaming is None:
        return
    for read in job.select("beam", ("transform",)):
        for key, unit in (("max_num_records", "records"), ("max_read_time", "seconds")):
            found = job.get(read, key)
            amount = parse_long(found.text) if found is not None and found.known and found.sure == "sure" else None
            if found is not None and isinstance(amount, int):
                message = f"the pipeline is a streaming one and stops reading after {amount} {unit}: the limit is meant for tests"
                yield context.finding(message, found, [(streaming, "streams")])
