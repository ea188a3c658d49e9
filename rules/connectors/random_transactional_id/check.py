"""Ids that hold a random part or the time of the start."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import kafka, tables

_KEYS = frozenset({*tables.PREFIX, "transactional.id"})


def check(job: Job, context: Context) -> Iterator[Finding]:
    for setting in job.settings:
        if setting.key not in _KEYS or setting.known or not kafka.RANDOM.search(setting.text):
            continue
        if setting.engine == "kafka":
            if (block := job.blocks.get(setting.block)) is not None and kafka.in_flink(job, block):
                continue  # the sink puts its own ids over this one
            message = "the broker never fences this producer's predecessor: after a crash its open transaction blocks readers until it times out, and a zombie may go on writing"
            found = context.finding(message, setting, confidence="medium")
        else:
            message = "transactions that the last run left open are never aborted: the new prefix does not find them, and readers of committed records wait for transaction.timeout.ms"
            found = context.finding(message, setting)
        yield found
