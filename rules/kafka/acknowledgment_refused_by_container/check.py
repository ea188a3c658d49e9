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
from shoal.templates import spring
from shoal.templates.common import text

_MANUAL = pattern(r"(?i)\bmanual(?:[-_]?immediate)?\b|\?|\$\{")


def check(job: Job, context: Context) -> Iterator[Finding]:
    modes = job.usages("ack-mode")
    manual = [mode for mode in modes if _MANUAL.search(mode.detail)]
    consumers = list(spring.consumers(job))
    listeners = [one for one in job.usages("takes-acknowledgment") if not spring.of_tests(one.place.path)]
    for listener in listeners if consumers and not manual else ():
        told = [(mode.place, f"{mode.detail} gives none") for mode in modes[:3]]
        message = (
            f"every call of {listener.detail}() fails (No Acknowledgment available as an argument), and its records are passed over once the retries are used up: "
            "nothing sets the ack mode of its container to MANUAL or MANUAL_IMMEDIATE (spring.kafka.listener.ack-mode)"
        )
        yield context.finding(message, listener.place, told or [(block, "the consumer") for block in consumers[:1]])
    for block in consumers:
        beside = next((mode for mode in manual if mode.place.path == block.place.path and not _open(mode.detail)), None)
        commits = job.written(block, "enable.auto.commit")
        if beside is not None and commits is not None and text(commits) == "true":
            message = (
                f"the listener container does not start: auto-commit beside the ack mode {beside.detail} is refused (IllegalStateException)"
            )
            yield context.finding(message, commits, [(beside.place, "acknowledged by hand")], confidence="high")


def _open(mode: str) -> bool:
    return "?" in mode or "${" in mode
