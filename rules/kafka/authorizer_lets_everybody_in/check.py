"""`allow.everyone.if.no.acl.found=true`, or ANONYMOUS among the super users, beside an authorizer of Kafka's own."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block
from shoal.job import Job
from shoal.model import Finding
from shoal.templates.common import text, verbatim

_OPTION, _SUPER = "allow.everyone.if.no.acl.found", "super.users"
_NOBODY = "User:ANONYMOUS"


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Strimzi names the authorizer by a type; without one the option means nothing."""
    for block in job.select("kafka", ("broker",)):
        setting = job.get(block, _OPTION)
        rights = job.written(block, "authorizer.class.name") or job.written(block, "spec.kafka.authorization.type")
        if setting is not None and rights is not None and text(setting) == "true":
            message = "whoever reaches the broker may read, write and delete each topic that no rule names: the authorizer allows what it has no rule for"
            yield context.finding(message, setting, [(rights, "the authorizer")])
        users = job.written(block, _SUPER)
        if users is not None and rights is not None and _NOBODY in [user.strip() for user in verbatim(users).split(";")]:
            message = "no rule binds who comes without a login: clients of a listener without authentication are ANONYMOUS, who is a super user here"
            sure = "medium" if (clear := _plain_for_clients(job, block)) else ""
            yield context.finding(
                message + clear, users, [(rights, "the authorizer")], severity="warning" if clear else "", confidence=sure
            )


def _plain_for_clients(job: Job, block: Block) -> str:
    """The advertised listener, if any, that asks nobody who they are and by which brokers do not speak with each other, as the end of a message."""
    names = {
        entry.partition("://")[0].strip() for entry in verbatim(job.written(block, "advertised.listeners")).split(",") if "://" in entry
    }
    pairs = [entry.partition(":") for entry in verbatim(job.written(block, "listener.security.protocol.map")).split(",")]
    protocols = {name.strip(): protocol.strip().upper() for name, _, protocol in pairs}
    between = verbatim(job.written(block, "inter.broker.listener.name")).strip()
    found = sorted(name for name in names if protocols.get(name) == "PLAINTEXT" and name != between)
    return f" ({found[0]} is such a listener)" if found and between else ""
