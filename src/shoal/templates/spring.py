"""What several rules ask of Spring for Kafka: which consumers are its, and what is there for tests alone."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.facts import Block, Setting
from shoal.job import Job
from shoal.lazy import pattern

_OF_A_PROFILE = pattern(r"(?:^|/)(?:application|bootstrap)-[^/]+$")
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


def bindings(job: Job, *roles: str) -> Iterator[Block]:
    """What Spring Cloud Stream binds to Kafka, tests aside."""
    for block in job.select("kafka", roles):
        if block.trait("framework") == "spring-cloud-stream" and not of_tests(block.place.path):
            yield block


def anonymous(job: Job, block: Block) -> bool:
    """Whether a binding has no group, as far as the file goes that names its destination; what belongs to a profile is no whole."""
    return bool(block.trait("complete")) and job.written(block, "binding.group") is None and not _OF_A_PROFILE.search(block.place.path)


def dead_letters(job: Job, block: Block) -> Setting | None:
    """What asks for a dead letter topic."""
    asked = job.written(block, "binding.enable-dlq")
    return asked if asked is not None and asked.known and asked.text.strip().lower() == "true" else None
