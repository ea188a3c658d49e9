"""Listeners of a cluster of Strimzi's, or of Confluent's operator, that reach out of Kubernetes, and ask nobody who they are."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.templates.common import text

_LISTENER = pattern(r"(spec\.(?:kafka\.)?listeners\.[^.]+)(?:\.externalAccess)?\.type")
_DOORS = {"loadbalancer": "its load balancer", "nodeport": "a node's port", "ingress": "its ingress", "route": "its route"}
_INSIDE = ("configuration.", "networkPolicyPeers", "externalAccess.loadBalancer.annotations.", "externalAccess.loadBalancer.sourceRanges")


def check(job: Job, context: Context) -> Iterator[Finding]:
    """What is written of the load balancer may keep it inside of a network. Confluent's operator adds no authentication by itself."""
    for block in job.select("kafka", ("broker",), ("manifest",)):
        for setting in job.of(block):
            found = _LISTENER.fullmatch(setting.key)
            door = _DOORS.get(text(setting).strip().lower()) if found is not None else None
            if found is None or door is None or _has(job, block, f"{found[1]}.authentication."):
                continue
            confluents = block.trait("operator") == "confluent"
            plain = text(job.written(block, f"{found[1]}.tls")) == "false" or (
                confluents and text(job.written(block, f"{found[1]}.tls.enabled")) != "true"
            )
            message = f"whoever reaches {door} may read and write every topic{' and listen in' if plain else ''}: this listener asks nobody who they are (authentication)"
            inside = (block.open and not confluents) or any(_has(job, block, f"{found[1]}.{name}") for name in _INSIDE)
            yield context.finding(message, setting, confidence="low" if inside or door != _DOORS["loadbalancer"] else "")


def _has(job: Job, block: Block, prefix: str) -> bool:
    return any(other.key.startswith(prefix) for other in job.of(block))
