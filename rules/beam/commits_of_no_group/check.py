"""`commit_offset_in_finalize` without `group.id`: `KafkaIO.Read.expand` refuses it, for Python's transform as well (io-kafka 2.60)."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import beam


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select("kafka", ("consumer",)):
        read = job.parent(block)
        if read is None or (read.engine, read.name) != ("beam", "ReadFromKafka") or block.open or read.open:
            continue
        commits = job.get(read, "commit_offset_in_finalize")
        if commits is not None and beam.text(commits) == "true" and job.get(block, "group.id") is None:
            message = "the pipeline is not built: offsets are to be committed, and the consumer has no group.id to commit them for (Offset management requires group.id)"
            yield context.finding(message, commits)
