"""`execution.checkpointing.num-retained` of 1 with incremental checkpoints."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import flink
from shoal.templates.common import lookup, text, verbatim


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in flink.masters(job, job.select("flink", ("cluster", "deployment"))):
        incremental = lookup(job, block, "execution.checkpointing.incremental")
        directory = verbatim(lookup(job, block, flink.CHECKPOINT_DIR))
        kept = lookup(job, block, "execution.checkpointing.num-retained")
        if block.open or incremental is None or text(incremental) != "true" or not directory or flink.local_path(directory):
            continue
        if kept is None or flink.whole(kept) == 1:
            message = "only one checkpoint is kept, and it shares its files with those before: where one of them cannot be read there is nothing to go back to"
            yield context.finding(message, kept or incremental)
