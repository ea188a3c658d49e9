"""Listeners without authentication in a Kafka resource with `authorization: simple`, under which clients that nobody knows may do nothing."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block
from shoal.job import Job
from shoal.model import Finding
from shoal.templates.common import text, verbatim

_LISTENERS = "spec.kafka.listeners."


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select("kafka", ("broker",), ("manifest",)):
        rights = job.written(block, "spec.kafka.authorization.type")
        open_to_all = text(job.written(block, "allow.everyone.if.no.acl.found")) == "true"
        if block.open or rights is None or verbatim(rights) != "simple" or open_to_all or block.trait("anonymous"):
            continue
        for setting in job.of(block):
            start, _, field = setting.key.rpartition(".")
            if field == "name" and start.startswith(_LISTENERS) and start.count(".") == 3 and not _logs_in(job, block, start):
                message = f"clients of the listener {verbatim(setting)} are ANONYMOUS, and whatever they ask for is denied unless a rule is for this user"
                yield context.finding(message, setting, [(rights, "authorization")])


def _logs_in(job: Job, block: Block, listener: str) -> bool:
    return any(setting.key.startswith(f"{listener}.authentication") for setting in job.of(block))
