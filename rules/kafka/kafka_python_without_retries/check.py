"""`KafkaProducer(…)` without `retries`, where the project pins a kafka-python that takes 0 for it (before 2.2; `shoal option retries`)."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import kafka


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select("kafka", ("producer",)):
        if kafka.library(block) != "kafka-python" or block.open or job.get(block, "retries") is not None:
            continue
        release = job.version("kafka-python", block)
        if release is None or not release.source.exact or release.parts >= (2, 2) or len(release.parts) < 2:
            continue
        message = f"a record in flight is lost whenever a leader moves or a connection drops: retries is not set, and 0 in kafka-python {release.text}; give it some, or take 2.2"
        yield context.finding(message, block, [(release.source, "has 0 retries")])
