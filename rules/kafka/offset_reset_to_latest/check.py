"""`auto.offset.reset` at `latest` of a consumer with a group that is the same at every start."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import kafka

_END = frozenset({"latest", "largest", "end"})


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Engines keep offsets themselves, and a consumer without a group of its own, or with a new one at each start, is meant to see what happens from now on."""
    for block in kafka.clients(job, "consumer"):
        reset, group = kafka.find(job, block, "auto.offset.reset"), kafka.find(job, block, "group.id")
        if reset is None or not reset.known or reset.text.strip().lower() not in _END or block.trait("host"):
            continue
        if group is None or (not group.known and kafka.RANDOM.search(group.text)):
            continue
        message = (
            f"{reset.text.strip()}: records are skipped where the group has no offset, which is not only its first start: a partition that was added, "
            "until the group notices it, and every partition once its offsets have expired"
        )
        yield context.finding(message, reset)
