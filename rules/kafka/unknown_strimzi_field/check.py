"""Fields of a Strimzi resource that its definition does not have."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import fields

# What people write for a field that there is.
_MEANT = {
    **dict.fromkeys(("replicationFactor", "replication", "replica", "replicationfactor"), "replicas"),
    **dict.fromkeys(("partition", "numPartitions", "partitionCount"), "partitions"),
    "name": "topicName",
    "retention": "config with retention.ms",
    **dict.fromkeys(("maxTasks", "tasks", "taskMax", "tasksmax"), "tasksMax"),
    **dict.fromkeys(("className", "connectorClass"), "class"),
    **dict.fromkeys(("topics", "options", "configuration"), "config"),
    "zookeeper": "a KafkaNodePool with the role controller",
    "resources": "resources of the KafkaNodePools",
    "externalConfiguration": "volumes and variables of the template",
    "pause": "state: paused",
}
_OF_MIRRORS = "config of sourceConnector, checkpointConnector or heartbeatConnector"


def check(job: Job, context: Context) -> Iterator[Finding]:
    for oddity in job.oddities:
        if oddity.kind == "unknown-strimzi-field":
            path, _, name = oddity.subject.rpartition(".")
            meant = _OF_MIRRORS if path.endswith("[]") and name == "config" else _MEANT.get(name, "")
            yield fields.unknown(context, oddity, oddity.detail, meant)
