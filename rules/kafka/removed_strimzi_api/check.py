"""Resources of Strimzi in versions of its API that went with 0.23 (May 2021), and topics and users in those that went with 1.0."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Dependency
from shoal.job import Job, numbers
from shoal.model import Finding
from shoal.readers.versions import engine_versions

_OLDEST_KAFKA = (2, 6)  # that Strimzi 0.23 runs
_KEPT = ("KafkaTopic", "KafkaUser")  # their old versions were served until 1.0


def check(job: Job, context: Context) -> Iterator[Finding]:
    """What the operator that the project installs still serves is no finding, nor is a Kafka that no later operator runs."""
    installed = [numbers(version)[:2] for one in job.dependencies for name, version in engine_versions(one) if name == "strimzi"]
    if any((0,) < version < (0, 23) for version in installed):
        return
    of_its_time = {
        one.place.path for one in job.dependencies for name, version in engine_versions(one) if name == "kafka" and _only_old(one, version)
    }
    for oddity in job.oddities:
        if oddity.kind != "old-strimzi-api" or oddity.place.path in of_its_time:
            continue
        if oddity.detail in _KEPT:
            message = f"Strimzi 1.0 and later know a {oddity.detail} in v1 alone: the API server refuses {oddity.subject}"
            yield context.finding(message, oddity, confidence="low")
        else:
            message = f"the API server refuses a {oddity.detail} in {oddity.subject}: Strimzi has not served it since 0.23 (v1beta2 came with 0.22, v1 with 0.49)"
            yield context.finding(message, oddity)


def _only_old(dependency: Dependency, version: str) -> bool:
    """Whether a resource asks for a Kafka that no operator runs any more in which its API went."""
    return dependency.ecosystem == "field" and (0,) < numbers(version)[:2] < _OLDEST_KAFKA
