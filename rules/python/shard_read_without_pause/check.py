"""`get_records()` of Kinesis in a loop that never waits."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.python import clients
from shoal.python.tree import descend

# What may wait, also by another name: `backoff()`, `self.pause`.
_WAITS = pattern(r"(?i)\w*(?:sleep|wait|delay|pause|backoff|throttl|interval)")


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Only where all that is in the loop is seen; what is done with the records may take its time."""
    module = context.module
    for call in module.named("get_records"):
        loop = call.spot.loop
        if (
            not isinstance(loop, cst.While)
            or not clients.KINESIS.search(module.raw)
            or call.receiver_node is None
            or "NextShardIterator" not in module.raw
        ):
            continue
        # what only waits behind each record does not wait when there are none
        said = (part.value for part in descend(loop, (cst.For,)) if isinstance(part, cst.Name))
        if any(map(_WAITS.search, said)):
            continue
        message = "nothing in this loop waits: a shard takes five reads a second from all its readers, and refuses the others with ProvisionedThroughputExceededException"
        yield context.finding(message, module.call_place(call), covers=[module.covers(call)])
