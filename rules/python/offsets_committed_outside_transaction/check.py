"""`producer.commit_transaction()` and `consumer.commit()` in one loop, where the offsets belong into the transaction."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python import clients


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    if module.named("send_offsets_to_transaction"):
        return
    for ended in module.named("commit_transaction"):
        if module.receiver_type(ended) not in clients.PRODUCERS or ended.spot.loop is None:
            continue
        for commit in module.named("commit"):
            if module.receiver_type(commit) not in clients.CONSUMERS or commit.function is not ended.function:
                continue
            if commit.spot.excludes(ended.spot) or not any(loop in ended.spot.loops for loop in commit.spot.loops):
                continue
            message = (
                "a crash between commit_transaction() and this sends the same records once more, each time in a transaction that is complete: "
                "the offsets are not part of it (send_offsets_to_transaction, before it is committed)"
            )
            related = [(module.call_place(ended), "the transaction ends here")]
            yield context.finding(message, module.call_place(commit), related, covers=[module.covers(commit)])
            return
