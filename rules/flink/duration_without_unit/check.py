"""Bare numbers where seconds or hours are usual."""

from __future__ import annotations

from collections.abc import Iterator

from shoal import catalogue
from shoal.context import Context
from shoal.facts import Block
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import flink
from shoal.values import NANOS_PER_SECOND, Bad
from shoal.values.flink import parse_duration

_ROLES = ("cluster", "deployment", "sessionjob", "session", "command", "job")
# Options whose default says nothing about their usual size.
_LONG = frozenset({"table.exec.state.ttl", "execution.checkpointing.min-pause", "execution.checkpointing.interval-during-backlog"})
_MEANT = 100  # milliseconds of a pause that a program sets: its method takes them, and Flink's own example says 500
_LONGER = {"execution.checkpointing.min-pause": "execution.checkpointing.interval", "heartbeat.interval": "heartbeat.timeout"}
# Rules of their own, or milliseconds by name.
_ELSEWHERE = frozenset(
    {"execution.checkpointing.interval", "execution.checkpointing.timeout", "task.cancellation.timeout", "heartbeat.timeout"}
)


def check(job: Job, context: Context) -> Iterator[Finding]:
    options = catalogue.load("flink")
    for block in job.select("flink", _ROLES):
        for setting in job.of(block):
            text = setting.text.strip()
            number = flink.whole(setting)
            if number is None or not 0 < number < 1000:
                continue
            option = options.option(setting.key)
            if option is None or option.type != "duration" or option.prefix or option.key in _ELSEWHERE or setting.key.endswith("-ms"):
                continue
            usual = parse_duration(option.default or "")
            if option.key not in _LONG and (isinstance(usual, Bad) or usual.nanos < NANOS_PER_SECOND):
                continue
            if number >= _MEANT and _in_milliseconds(job, block, option.key):
                continue
            if option.key == "execution.checkpointing.min-pause" and (_frequent(job, block) or (block.role == "job" and number >= _MEANT)):
                continue
            fixes = [context.replace(setting, f"{text} s", f"write {text} s", "unsafe")]
            default = "" if isinstance(usual, Bad) or not usual.nanos else f" (the default is {usual})"
            yield context.finding(
                f"`{text}` without a unit is {text} ms: {setting.key} is over almost at once{default}", setting, fixes=fixes
            )


def _in_milliseconds(job: Job, block: Block, key: str) -> bool:
    """Whether the longer one that goes with it is a bare number, and of milliseconds."""
    setting = job.written(block, _LONGER[key]) if key in _LONGER else None
    return setting is not None and (flink.whole(setting) or 0) >= 1000


def _frequent(job: Job, block: Block) -> bool:
    """Whether checkpoints are seconds apart, so that a pause of less than one is meant."""
    setting = job.effective(block, "execution.checkpointing.interval")
    found = parse_duration(setting.text) if setting is not None and setting.known else None
    return found is not None and not isinstance(found, Bad) and found.nanos <= 10 * NANOS_PER_SECOND
