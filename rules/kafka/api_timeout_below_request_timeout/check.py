"""`default.api.timeout.ms` below `request.timeout.ms`: the admin client refuses it, the consumer gives up mid-request."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import kafka


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in kafka.clients(job, "consumer", "admin"):
        api = kafka.amount(job, block, kafka.API_TIMEOUT)
        request = kafka.amount(job, block, kafka.REQUEST_TIMEOUT, kafka.REQUEST_TIMEOUT_DEFAULT)
        if not kafka.is_java(block) or api.setting is None or api.value is None or request.value is None or api.value >= request.value:
            continue
        numbers = (
            f"default.api.timeout.ms ({kafka.say(api.value)}) is below request.timeout.ms ({kafka.say(request.value)}{request.origin})"
        )
        related = [(request.setting, "one request may take this long")] if request.setting else []
        if kafka.in_flink(job, block):
            message = f"the Kafka source does not start: {numbers}, and the admin client that lists its partitions refuses that"
            yield context.finding(message, api.setting, related)
        elif block.role == "admin":
            yield context.finding(f"the admin client refuses to start: {numbers}", api.setting, related)
        else:
            message = f"calls give up before a single request to a dead broker does: {numbers}; an admin client with these options refuses to start"
            yield context.finding(message, api.setting, related, severity="warning")
