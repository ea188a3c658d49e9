"""`default.topic.config`: where confluent-kafka wanted the options of topics before 1.0."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import kafka

_APART = "default.topic.config"


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in kafka.clients(job, "consumer", "producer"):
        if kafka.library(block) != "confluent-kafka":
            continue
        for setting in job.of(block):
            if setting.key == _APART:
                message = (
                    f"`{_APART}` is deprecated: confluent-kafka copies what is in it over the options around it, "
                    "and a later version may refuse it; write these options beside the others"
                )
                yield context.finding(message, setting.key_place(label=_APART), covers=[setting])
