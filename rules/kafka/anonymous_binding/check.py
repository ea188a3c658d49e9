"""A binding without `group` gets one with a random name, at each start and in each instance, which begins at the end.

KafkaMessageChannelBinder.createConsumerEndpoint and BindingUtils.createConsumerConfigs of spring-cloud-stream-binder-kafka 4.1.4 and 4.3.0.
"""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import spring


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in spring.bindings(job, "consumer"):
        if not spring.anonymous(job, block) or spring.dead_letters(job, block):  # which is another rule's, and worse
            continue
        message = (
            f"{block.name} has no group: it gets a new one at each start, which begins at the end of the topic; what comes while the program is down is never read, "
            "and each instance reads everything"
        )
        at = job.written(block, "binding.destination")
        yield context.finding(message, at or block)
