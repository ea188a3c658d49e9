"""`KafkaRebalance` resources, against `spec.cruiseControl` of the cluster that their label names."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates.strimzi import clusters_of, is_whole_cluster


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select("kubernetes", ("kafkarebalance",)):
        clusters = clusters_of(job, block)
        if clusters and all(is_whole_cluster(job, one) and not one.trait("cruise-control") for one in clusters):
            message = f"the operator makes no rebalance of it: the Kafka {clusters[0].name} has no spec.cruiseControl, which works out what goes where"
            yield context.finding(message, block, [(clusters[0].place, "the cluster")])
