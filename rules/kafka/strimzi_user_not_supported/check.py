"""What a KafkaUser asks for, and what the Kafka resource of its cluster has.

The User Operator refuses a user with access rules where the cluster has no authorization (KafkaUserModel.fromCrd).
"""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.templates.common import verbatim

_LISTENER = "spec.kafka.listeners."
_AUTHENTICATION = pattern(r"spec\.kafka\.listeners\.\w+\.authentication\.type")


def check(job: Job, context: Context) -> Iterator[Finding]:
    for user in job.select("kubernetes", ("kafkauser",)):
        clusters = [block for block in job.select("kafka", ("broker",), ("manifest",)) if block.name == user.trait("cluster")]
        if not clusters or not all(_whole(job, block) for block in clusters):
            continue
        rights, login = job.written(user, "spec.authorization.type"), job.written(user, "spec.authentication.type")
        if (
            rights is not None
            and verbatim(rights) == "simple"
            and not any(_has(job, block, "spec.kafka.authorization.") for block in clusters)
        ):
            message = f"the User Operator refuses this user and makes neither its rights nor its password: {clusters[0].name} has no authorization"
            yield context.finding(message, rights, [(clusters[0], "no spec.kafka.authorization")])
        kinds = {setting.text.strip() for block in clusters for setting in job.of(block) if _AUTHENTICATION.fullmatch(setting.key)}
        if login is not None and login.known and not kinds & {verbatim(login).removesuffix("-external"), "custom"}:
            message = f"nobody can log in as this user: no listener of {clusters[0].name} has authentication of type {verbatim(login)}"
            yield context.finding(message, login, [(clusters[0], "its listeners")], confidence="low")


def _whole(job: Job, block: Block) -> bool:
    """Whether all of a cluster's resource can be seen; one with no listeners is a patch of another."""
    return not block.open and block.trait("operator") == "strimzi" and _has(job, block, _LISTENER)


def _has(job: Job, block: Block, start: str) -> bool:
    return any(setting.key.startswith(start) for setting in job.of(block))
