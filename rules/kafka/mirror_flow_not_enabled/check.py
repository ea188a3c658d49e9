"""Flows without `enabled = true`, which is off by default and read by Boolean.parseBoolean."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import mirror
from shoal.templates.common import text, verbatim

# What shows that somebody wants the flow.
_WANTED = ("topics", "groups", "topics.exclude", "sync.group.offsets.enabled", "emit.checkpoints.enabled", "replication.factor")


def check(job: Job, context: Context) -> Iterator[Finding]:
    for maker in job.select("kafka-mirror", ("maker",)):
        if maker.open or job.written(maker, "enabled") is not None:
            continue
        clusters, flows = mirror.clusters(maker), mirror.flows(job, maker)
        for flow in flows:
            if all(name in clusters and "<" not in name for name in flow.name.split("->")):  # to be filled in
                yield from _flow(job, context, flow)
        listed = job.written(maker, "clusters")
        if not flows and len(clusters) > 1 and listed is not None:
            first = f"{clusters[0]}->{clusters[1]}"
            yield context.finding(f"nothing is copied: no flow is enabled, such as {first}.enabled = true", listed)


def _flow(job: Job, context: Context, flow: Block) -> Iterator[Finding]:
    enabled = job.written(flow, "enabled")
    if enabled is None:
        wanted = next((one for key in _WANTED if (one := job.written(flow, key)) is not None and text(one) != "false"), None)
        if wanted is not None:
            yield context.finding(
                f"nothing is copied: the flow is off unless {flow.name}.enabled is true, which is not set",
                wanted.key_place(),
                covers=[wanted],
            )
    elif enabled.known and text(enabled) != "true" and not text(enabled).startswith("false"):
        yield context.finding(
            f"the flow is off: {flow.name}.enabled is `{verbatim(enabled)}`, and anything but `true` means false", enabled
        )
