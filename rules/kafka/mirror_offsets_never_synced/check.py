"""`sync.group.offsets.enabled` without what it needs: the task that does it is only made where checkpoints are emitted."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import mirror
from shoal.templates.common import text

_SYNC, _INTERVAL = "sync.group.offsets.enabled", "sync.group.offsets.interval.seconds"


def check(job: Job, context: Context) -> Iterator[Finding]:
    for maker in mirror.makers(job):
        said: set[object] = set()
        for flow in mirror.flows(job, maker):
            if not mirror.enabled(job, flow) or flow.open:
                continue
            sync = mirror.option(job, flow, _SYNC, "checkpoint")
            emits, syncs = (
                mirror.option(job, flow, key, "checkpoint") for key in ("emit.checkpoints.enabled", "emit.offset-syncs.enabled")
            )
            interval = mirror.option(job, flow, _INTERVAL, "checkpoint")
            for off in (emits, syncs):
                if text(sync) == "true" and off is not None and text(off) == "false" and sync is not None:
                    yield context.finding(
                        f"no offset of a group is ever synchronised: that is done with checkpoints, and {off.key} is false",
                        sync,
                        [(off, "switched off")],
                    )
            unset = sync is None or (sync.known and text(sync) == "false")
            if interval is not None and unset and interval not in said and not _elsewhere(job, flow):
                said.add(interval)
                message = f"offsets of groups are not synchronised: {_SYNC} is false{'' if sync is not None else ' unless it is set'}, whatever the interval"
                yield context.finding(
                    message,
                    interval.key_place(),
                    [(sync, "switched off")] if sync is not None else [],
                    confidence="medium",
                    covers=[interval],
                )
        yield from _misplaced(job, context, maker)


def _elsewhere(job: Job, flow: Block) -> bool:
    return any(job.written(child, _SYNC) is not None for child in job.children(flow))


def _misplaced(job: Job, context: Context, maker: Block) -> Iterator[Finding]:
    """In Strimzi's resources each connector is told its own config alone, and it is the one for checkpoints that synchronises."""
    for flow in mirror.flows(job, maker):
        for connector in job.children(flow):
            wrong = job.written(connector, _SYNC) if connector.trait("connector") in ("source", "heartbeat") else None
            if wrong is not None and text(wrong) == "true":
                message = f"no offset of a group is synchronised because of this: {_SYNC} is read by checkpointConnector, and here it is told to {connector.trait('connector')}Connector"
                yield context.finding(message, wrong.key_place(), covers=[wrong])
