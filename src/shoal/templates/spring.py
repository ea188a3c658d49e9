"""What several rules ask of Spring for Kafka: which consumers are its, and what is there for tests alone."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.facts import Block
from shoal.job import Job
from shoal.lazy import pattern

_TESTS = pattern(r"(?:^|/)(?:test|tests|it)/|Tests?\.java$")


def of_tests(path: str) -> bool:
    """Whether a file is one of tests, as Java's projects have them."""
    return _TESTS.search(path) is not None


def consumers(job: Job, configured: bool = True) -> Iterator[Block]:
    """The consumers that Spring makes, tests aside: those that a program makes by its factory and, if `configured`, those of configuration files."""
    for block in job.select("kafka", ("consumer",)):
        of_spring = (configured and block.trait("framework") == "spring") or block.trait("class") == "DefaultKafkaConsumerFactory"
        if of_spring and not of_tests(block.place.path):
            yield block
