"""`ReadFromKafka` with a `group.id` and neither `commit_offset_in_finalize` nor auto-commit, which Beam switches off by default."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import beam


def check(job: Job, context: Context) -> Iterator[Finding]:
    """A bounded read needs no offsets, and a list of options that is not all in sight may hold anything."""
    for block in job.select("kafka", ("consumer",)):
        read = job.parent(block)
        if read is None or (read.engine, read.name) != ("beam", "ReadFromKafka") or block.open or read.open:
            continue
        group = job.get(block, "group.id")
        if job.get(block, "enable.auto.commit") is not None:
            continue
        if any(
            job.get(read, key) is not None
            for key in ("commit_offset_in_finalize", "max_num_records", "max_read_time", "start_read_time", "stop_read_time")
        ):
            found = job.get(read, "commit_offset_in_finalize")
            if found is None or beam.text(found) != "false":
                continue
        reset = job.get(block, "auto.offset.reset")
        if group is None:
            if reset is None or (reset.known and reset.text.strip().lower() == "latest"):
                message = "without a group.id, a start without a savepoint begins at the end of the topic: what came in while the pipeline was down is never read (a group, and commit_offset_in_finalize=True)"
                yield context.finding(message, read, confidence="low")
            continue
        start = reset.text if reset is not None and reset.known else "latest"
        what = "reads everything again" if start == "earliest" else "skips what came in meanwhile"
        message = f"the offsets of this group are never committed: a start without a savepoint begins at `{start}` and {what} (commit_offset_in_finalize=True)"
        yield context.finding(message, group, [(read, "no commit_offset_in_finalize")])
