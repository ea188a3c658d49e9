"""What several rules ask of SmallRye's Kafka connector (Quarkus, WildFly, Helidon): its channels."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.facts import Block
from shoal.job import Job


def channels(job: Job, *roles: str) -> Iterator[Block]:
    """The channels that are consumers, or producers."""
    return (block for block in job.select("kafka", roles) if block.trait("framework") == "smallrye")
