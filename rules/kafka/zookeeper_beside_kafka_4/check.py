"""`zookeeper.connect` without `process.roles`, in a container whose image has no ZooKeeper any more, and a schema registry that looks for brokers there."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding

# The image, and the first release of it that holds Kafka 4.
_IMAGES = {"confluentinc/cp-kafka": 8, "confluentinc/cp-server": 8, "apache/kafka": 4, "apache/kafka-native": 4}
# `configure` in the image ends where the brokers are not given, since Confluent Platform 8.
_REGISTRY = pattern(r"(?:docker\.io/)?confluentinc/cp-schema-registry(?::(latest$|v?(?:[89]|[1-9]\d)\.)|$)")
_MAJOR = pattern(r"v?([0-9]+)\.")


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select("kafka", ("broker",), ("compose", "manifest")):
        if block.trait("tool"):
            continue
        connect = job.written(block, "zookeeper.connect")
        image = next(iter(job.images(block)), None)
        first = _IMAGES.get(image.name) if image is not None else None
        if connect is None or image is None or first is None or block.open or job.written(block, "process.roles") is not None:
            continue
        major = _MAJOR.match(image.version)
        latest = image.version in ("", "latest")
        if latest or (major is not None and int(major[1]) >= first):
            what = f"{image.name}:latest is Kafka 4 or later" if latest else f"{image.name}:{image.version} is Kafka 4 or later"
            message = f"the broker does not start: {what}, which knows no ZooKeeper and asks for process.roles"
            yield context.finding(message, connect, [(image, "the image")], confidence="medium" if latest else "")
    for usage in job.usages("registry-of-zookeeper"):
        found = _REGISTRY.match(usage.detail)
        if found is not None:
            latest = found[1] in (None, "latest")
            what = "cp-schema-registry:latest" if latest else usage.detail
            message = f"the registry does not start: {what} knows no ZooKeeper, and asks for SCHEMA_REGISTRY_KAFKASTORE_BOOTSTRAP_SERVERS"
            yield context.finding(message, usage.place, confidence="medium" if latest else "")
