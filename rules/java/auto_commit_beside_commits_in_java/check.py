"""`commitSync()` in the loop of a Java consumer whose `enable.auto.commit` is on, or left out, which is on.

Source: `ConsumerCoordinator.poll()` of kafka-clients commits, each `auto.commit.interval.ms`, the positions behind all that earlier polls gave; `close()` does so too.
"""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding


def check(job: Job, context: Context) -> Iterator[Finding]:
    for usage in job.usages("commits-in-a-loop"):
        block = job.blocks.get(usage.block)
        auto, group = (job.written(block, key) if block is not None else None for key in ("enable.auto.commit", "group.id"))
        if block is None or group is None or (auto is None and block.open) or (auto is not None and not auto.known):
            continue
        if auto is not None and auto.text.strip().lower() != "true":
            continue
        why = "auto-commit is on" if auto is not None else "enable.auto.commit is left out, and on by default"
        if usage.detail:
            message = f"{why}: poll() commits by the clock the records that still wait in {usage.detail} for this commit, and those that wait at a crash are lost"
            sure = ""
        else:
            message = f"{why}: poll() and close() commit all that was handed out, also where the work on it failed and this commit was not come to"
            sure = "low"
        yield context.finding(message, usage.place, [(auto if auto is not None else block.place, "the consumer")], confidence=sure)
