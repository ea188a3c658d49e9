"""`topics` beside `topic` or `pattern`: KafkaSource.getTopics of smallrye-reactive-messaging-kafka 4.10.1 and 4.28.0 throws."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import smallrye


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in smallrye.channels(job, "consumer"):
        topics, topic, pattern = (job.written(block, key) for key in ("topics", "topic", "pattern"))
        if pattern is not None and not (pattern.known and pattern.text.strip().lower() == "true"):
            pattern = None
        other = topic or pattern
        if topics is not None and other is not None:
            message = f"the channel does not start: the connector takes {topics.key} or {other.key}, not both"
            yield context.finding(message, topics, [(other, "this one too")])
