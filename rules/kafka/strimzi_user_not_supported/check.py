"""What a KafkaUser asks for, and what the Kafka resource of its cluster has.

The User Operator refuses a user with access rules where the cluster has no authorization (KafkaUserModel.fromCrd).
"""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.templates.common import verbatim
from shoal.templates.strimzi import clusters_of, has, is_whole_cluster

_AUTHENTICATION = pattern(r"spec\.kafka\.listeners\.\w+\.authentication\.type")


def check(job: Job, context: Context) -> Iterator[Finding]:
    for user in job.select("kubernetes", ("kafkauser",)):
        clusters = clusters_of(job, user)
        if not clusters or not all(is_whole_cluster(job, block) for block in clusters):
            continue
        rights, login = job.written(user, "spec.authorization.type"), job.written(user, "spec.authentication.type")
        if (
            rights is not None
            and verbatim(rights) == "simple"
            and not any(has(job, block, "spec.kafka.authorization.") for block in clusters)
        ):
            message = f"the User Operator refuses this user and makes neither its rights nor its password: {clusters[0].name} has no authorization"
            yield context.finding(message, rights, [(clusters[0], "no spec.kafka.authorization")])
        kinds = {setting.text.strip() for block in clusters for setting in job.of(block) if _AUTHENTICATION.fullmatch(setting.key)}
        if login is not None and login.known and not kinds & {verbatim(login).removesuffix("-external"), "custom"}:
            message = f"nobody can log in as this user: no listener of {clusters[0].name} has authentication of type {verbatim(login)}"
            yield context.finding(message, login, [(clusters[0], "its listeners")], confidence="low")
