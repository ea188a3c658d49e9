"""`spec.image` of Strimzi's resources that is another vendor's.

The operator starts `/opt/kafka/kafka_connect_run.sh` or `/opt/kafka/kafka_run.sh` in the container, whatever the image's own command is.
"""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding

# Debezium has Kafka in /kafka, Confluent and Bitnami elsewhere; Apache's own image has /opt/kafka, and no scripts of Strimzi's there.
_FOREIGN = pattern(
    r"(?:^|/)(?:debezium/(?:connect(?:-base)?|kafka)|confluentinc/cp-[\w-]+|bitnami(?:legacy)?/kafka|apache/kafka(?:-native)?)$"
)


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in (*job.select("kafka-connect", ("worker",), ("manifest",)), *job.select("kafka", ("broker",), ("manifest",))):
        image = next(iter(job.images(block)), None) if block.trait("operator") == "strimzi" else None
        if image is not None and _FOREIGN.search(image.name):
            script = "kafka_run.sh" if block.role == "broker" else "kafka_connect_run.sh"
            message = f"the container does not start: the operator runs /opt/kafka/{script} in it, which {image.name} does not have"
            yield context.finding(message, image)
