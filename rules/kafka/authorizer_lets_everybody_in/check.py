"""`allow.everyone.if.no.acl.found=true` beside an authorizer of Kafka's own."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates.common import text

_OPTION = "allow.everyone.if.no.acl.found"


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Strimzi names the authorizer by a type; without one the option means nothing."""
    for block in job.select("kafka", ("broker",)):
        setting = job.get(block, _OPTION)
        rights = job.written(block, "authorizer.class.name") or job.written(block, "spec.kafka.authorization.type")
        if setting is not None and rights is not None and text(setting) == "true":
            message = "whoever reaches the broker may read, write and delete each topic that no rule names: the authorizer allows what it has no rule for"
            yield context.finding(message, setting, [(rights, "the authorizer")])
