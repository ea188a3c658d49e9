"""`bootstrap.servers` in the `configuration` of one binding: BindingUtils of spring-cloud-stream-binder-kafka-core 4.1.4 and 4.3.0 throws."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import spring


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in spring.bindings(job, "consumer", "producer"):
        if (servers := job.written(block, "binding.bootstrap.servers")) is not None:
            message = f"{block.name} does not start: bootstrap.servers cannot be told to one binding (spring.cloud.stream.kafka.binder.brokers, or a binder of its own)"
            yield context.finding(message, servers.key_place())
