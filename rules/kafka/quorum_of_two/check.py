"""How many controllers vote, in `controller.quorum.voters` and in Strimzi's pools, and how many servers its ZooKeeper has."""

from __future__ import annotations

import re
from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block
from shoal.job import Job
from shoal.jobs.boundaries import folder_of
from shoal.model import Finding
from shoal.templates.kafka import amount

_VOTERS = "controller.quorum.voters"
_WHY = "a majority of two is two: while one is down, or restarts, no leader is elected and nothing of the cluster can be changed"


def check(job: Job, context: Context) -> Iterator[Finding]:
    told: set[tuple[str, str]] = set()
    for block in job.select("kafka", ("broker",)):
        voters = job.written(block, _VOTERS)
        if voters is not None and voters.known and len(re.findall(r"\d+@[^,\s]+", voters.text)) == 2 == len(voters.text.split(",")):
            # of the servers of one cluster each may have a file of its own; a compose file has all of them
            said = (voters.path if block.form == "compose" else folder_of(voters.path), voters.text)
            if said not in told:  # each of the servers says it
                yield context.finding(f"two controllers vote, and {_WHY}", voters)
            told.add(said)
        servers = amount(job, block, "spec.zookeeper.replicas")
        if servers.setting is not None and servers.value == 2:
            yield context.finding(f"ZooKeeper has two servers, and {_WHY}", servers.setting)
    for pools in _pools(job):
        counts = [amount(job, pool, "spec.replicas") for pool in pools]
        if all(one.value is not None for one in counts) and sum(one.value or 0 for one in counts) == 2:
            first, *others = [one.setting for one in counts if one.setting is not None]
            yield context.finding(f"two controllers vote, and {_WHY}", first, [(other, "the other one") for other in others])


def _pools(job: Job) -> list[list[Block]]:
    """The pools with controllers of each cluster, where all of them stand in one file: others may be of another environment."""
    found: dict[str, list[Block]] = {}
    for pool in job.select("kubernetes", ("kafkanodepool",)):
        if "controller" in pool.trait("roles").split(",") and pool.trait("cluster"):
            found.setdefault(f"{folder_of(pool.place.path)}:{pool.trait('cluster')}", []).append(pool)
    return [pools for pools in found.values() if len({pool.place.path for pool in pools}) == 1 and not any(pool.open for pool in pools)]
