"""Clusters of which one half knows of the leader election."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import flink
from shoal.templates.common import lookup


def check(job: Job, context: Context) -> Iterator[Finding]:
    blocks = [block for block in job.select("flink", ("cluster",), ("compose", "manifest")) if not block.open]
    masters = [block for block in blocks if block.trait("role") == "jobmanager"]
    workers = [block for block in blocks if block.trait("role") == "taskmanager" and job.of(block)]
    if len(masters) != 1:
        return
    mode = flink.ha_mode(job, masters[0])
    chosen = lookup(job, masters[0], flink.HA_TYPE)
    if chosen is None or mode not in ("zookeeper", "kubernetes"):
        return
    for worker in workers:
        if flink.ha_mode(job, worker) == "none":
            message = (
                f"{worker.name} cannot register: {masters[0].name} elects its leader through {mode}, and {worker.name} is not configured to ask there,"
                " so jobs wait for slots that never come"
            )
            yield context.finding(message, worker, [(chosen, "high availability here")])
