"""`enable.auto.commit=false`, a group that is the same at each start, a loop over the records, and no commit in the file."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding

# A group that is another one at each start: nobody comes back to it.
_ANEW = pattern(r"(?i)uuid|random|millis|nano|instant|date|now\b|pid|hostname")


def check(job: Job, context: Context) -> Iterator[Finding]:
    for usage in job.usages("read-in-a-loop"):
        block = job.blocks.get(usage.block)
        auto, group = (job.written(block, key) if block is not None else None for key in ("enable.auto.commit", "group.id"))
        if auto is None or not auto.known or auto.text.strip().lower() != "false" or group is None or _ANEW.search(group.text):
            continue
        message = "no offset is ever committed: auto-commit is off and nothing here commits, so that each start and each rebalance goes back to auto.offset.reset"
        yield context.finding(message, auto, [(group, "the group"), (usage.place, "read here")])
