"""What each kind of high availability needs to start."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import flink
from shoal.templates.common import lookup


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select("flink", ("cluster", "deployment")):
        mode = flink.ha_mode(job, block)
        found = lookup(job, block, flink.HA_TYPE)
        if block.open or found is None or mode not in ("zookeeper", "kubernetes"):
            continue
        if lookup(job, block, flink.HA_DIR) is None:
            message = f"the JobManager does not start: {mode} high availability keeps job graphs and checkpoint pointers in high-availability.storageDir, which is not set"
            yield context.finding(message, found, confidence="medium" if flink.by_operator(block) else "")
        elif mode == "zookeeper" and lookup(job, block, "high-availability.zookeeper.quorum") is None:
            yield context.finding(
                "the JobManager does not start: high-availability.zookeeper.quorum does not say where ZooKeeper is", found
            )
        elif (
            mode == "kubernetes"
            and flink.on_kubernetes(block)
            and block.role == "cluster"
            and lookup(job, block, "kubernetes.cluster-id") is None
        ):
            message = (
                "the JobManager does not start: a standalone cluster on Kubernetes needs kubernetes.cluster-id to name its leader records"
            )
            yield context.finding(message, found, confidence="medium")
