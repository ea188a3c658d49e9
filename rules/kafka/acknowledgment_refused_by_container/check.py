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

# What an application is configured by where it has one of its own: the first of this name on its class path.
_CONFIGURES = pattern(r"/?src/main/resources/application(?:-[\w-]+)?\.(?:ya?ml|properties)$")


def check(job: Job, context: Context) -> Iterator[Finding]:
    modes = job.usages("ack-mode")
    manual = [mode for mode in modes if _MANUAL.search(mode.detail)]
    consumers = list(spring.consumers(job))
    listeners = [one for one in job.usages("takes-acknowledgment") if not spring.of_tests(one.place.path)]
    for listener in listeners:
        own = _module(listener.place.path)
        configured = own and any(
            _CONFIGURES.match(block.place.path[len(own) :]) and _module(block.place.path) == own for block in consumers
        )
        if not consumers or any(not configured or not _of_another(mode.place.path, own) for mode in manual):
            continue
        told = [(mode.place, f"{mode.detail} gives none") for mode in modes[:3] if mode not in manual]
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


def _module(path: str) -> str:
    """The folder of the module of Maven or Gradle that a file is of; empty for that of the project itself, and where there is none."""
    module, source, _ = path.rpartition("/src/main/")
    return module if source else ""


def _of_another(path: str, own: str) -> bool:
    """Whether a file is the configuration of another module, which this one, with a file of that name itself, never reads."""
    module = _module(path)
    return module != own and _CONFIGURES.match(path[len(module) :]) is not None


def _open(mode: str) -> bool:
    return "?" in mode or "${" in mode
