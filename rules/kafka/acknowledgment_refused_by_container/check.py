"""A parameter `Acknowledgment` where no container is told `MANUAL` or `MANUAL_IMMEDIATE`, and such a mode beside auto-commit.

MessagingMessageListenerAdapter.checkAckArg refuses each record of the first ("No Acknowledgment available as an argument, the listener container must have a MANUAL
AckMode"), and KafkaMessageListenerContainer does not start with the second ("Consumer cannot be configured for auto commit for ackMode MANUAL").
"""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.templates import spark

_MANUAL = pattern(r"(?i)\bmanual(?:[-_]?immediate)?\b|\?|\$\{")
_TESTS = pattern(r"(?:^|/)(?:test|tests|it)/|Tests?\.java$")


def check(job: Job, context: Context) -> Iterator[Finding]:
    modes = job.usages("ack-mode")
    manual = [mode for mode in modes if _MANUAL.search(mode.detail)]
    consumers = [block for block in job.select("kafka", ("consumer",)) if not _TESTS.search(block.place.path)]
    spring = [block for block in consumers if block.trait("framework") == "spring" or block.trait("class") == "DefaultKafkaConsumerFactory"]
    listeners = [one for one in job.usages("takes-acknowledgment") if not _TESTS.search(one.place.path)]
    for listener in listeners if spring and not manual else ():
        told = [(mode.place, f"{mode.detail} gives none") for mode in modes[:3]]
        message = (
            f"every call of {listener.detail}() fails (No Acknowledgment available as an argument), and its records are passed over once the retries are used up: "
            "nothing sets the ack mode of its container to MANUAL or MANUAL_IMMEDIATE (spring.kafka.listener.ack-mode)"
        )
        yield context.finding(message, listener.place, told or [(block, "the consumer") for block in spring[:1]])
    for block in spring:
        beside = next((mode for mode in manual if mode.place.path == block.place.path and not _open(mode.detail)), None)
        commits = job.written(block, "enable.auto.commit")
        if beside is not None and commits is not None and spark.text(commits) == "true":
            message = (
                f"the listener container does not start: auto-commit beside the ack mode {beside.detail} is refused (IllegalStateException)"
            )
            yield context.finding(message, commits, [(beside.place, "acknowledged by hand")], confidence="high")


def _open(mode: str) -> bool:
    return "?" in mode or "${" in mode
