"""Flows between clusters that `clusters` does not name: MirrorMaker makes its pairs of that list alone."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import mirror
from shoal.templates.common import text


def check(job: Job, context: Context) -> Iterator[Finding]:
    for maker in job.select("kafka-mirror", ("maker",)):
        listed, clusters = job.written(maker, "clusters"), mirror.clusters(maker)
        if listed is None or not listed.known:
            continue
        for flow in mirror.flows(job, maker):
            unknown = [name for name in flow.name.split("->") if name not in clusters]
            settings = job.of(flow)
            if not unknown or not settings or all(text(one) == "false" for one in settings):
                continue
            message = f"nothing of this is read: {' and '.join(unknown)} {'is' if len(unknown) == 1 else 'are'} not in `clusters`, which names {' and '.join(clusters) or 'none'}"
            yield context.finding(message, settings[0].key_place(), [(listed, "the clusters")], covers=settings)
        for name in clusters:
            block = mirror.cluster(job, maker, name)
            if (block is None or job.written(block, "bootstrap.servers") is None) and job.written(maker, "bootstrap.servers") is None:
                yield context.finding(f"MirrorMaker does not start: the cluster {name} has no {name}.bootstrap.servers", listed)
