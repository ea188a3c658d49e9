"""`spec.kafka.storage` and `spec.kafka.replicas` of a Strimzi cluster with node pools, which the operator does not look at, where they are others than the pools'."""

from __future__ import annotations

import re
from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block, Setting
from shoal.job import Job, numbers
from shoal.jobs.boundaries import folder_of
from shoal.model import Finding
from shoal.templates.common import verbatim
from shoal.templates.kafka import amount
from shoal.templates.strimzi import clusters_of

_TOLD = ("size", "deleteClaim", "type")


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Up to Strimzi 0.38 both fields had to be there, and stand for nothing: the operators that run Kafka 3.7 and later ask for neither."""
    versions = {one.block: numbers(one.version) for one in job.dependencies if (one.ecosystem, one.name) == ("field", "kafka")}
    for cluster in job.select("kafka", ("broker",), ("manifest",)):
        if cluster.trait("operator") != "strimzi" or cluster.trait("node-pools") != "enabled" or versions.get(cluster.id, ()) < (3, 7):
            continue
        pools = [pool for pool in _pools(job, cluster) if "broker" in pool.trait("roles")]
        if not pools or any(pool.open for pool in pools):
            continue
        for told in _TOLD:
            own = _storage(job, cluster, "spec.kafka", told)
            others = [_storage(job, pool, "spec", told) for pool in pools]
            if own and _known(own) and all(found and _known(found) and _values(found).isdisjoint(_values(own)) for found in others):
                one, other = own[0], others[0][0]
                message = f"the brokers' {told} is not {verbatim(one)} but {verbatim(other)}: where there are node pools, the operator goes by theirs, and does not look at spec.kafka.storage"
                yield context.finding(message, one, [(other, "what counts")])
                break
        replicas = amount(job, cluster, "spec.kafka.replicas")
        counts = [amount(job, pool, "spec.replicas").value for pool in pools]
        brokers = sum(count or 0 for count in counts)
        if replicas.setting is not None and replicas.value and None not in counts and brokers != replicas.value:
            message = f"there are {brokers} brokers, not {replicas.value}: where there are node pools, the operator goes by their numbers, and does not look at spec.kafka.replicas"
            yield context.finding(message, replicas.setting, [(pools[0], "what counts")])


def _pools(job: Job, cluster: Block) -> list[Block]:
    """The pools of a cluster: those of its own file, else of its folder or of the project, where nothing else there has the cluster's name.

    The same cluster may be written down for several environments, or several times with other pools each.
    """
    pools = [pool for pool in job.select("kubernetes", ("kafkanodepool",)) if cluster in clusters_of(job, pool)]
    others = [other for other in job.select("kafka", ("broker",), ("manifest",)) if other.name == cluster.name and other.id != cluster.id]
    path, folder = cluster.place.path, folder_of(cluster.place.path)
    if inside := [pool for pool in pools if pool.place.path == path]:
        return inside if all(other.place.path != path for other in others) else []
    if beside := [pool for pool in pools if folder_of(pool.place.path) == folder]:
        return beside if all(folder_of(other.place.path) != folder for other in others) else []
    return pools if not others else []


def _storage(job: Job, block: Block, start: str, told: str) -> list[Setting]:
    wanted = re.compile(rf"{re.escape(start)}\.storage(?:\.volumes\.\d+)?\.{told}")
    return [setting for setting in job.of(block) if wanted.fullmatch(setting.key)]


def _known(settings: list[Setting]) -> bool:
    return all(setting.known for setting in settings)


def _values(settings: list[Setting]) -> set[str]:
    return {verbatim(setting) for setting in settings}
