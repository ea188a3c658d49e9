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
# Half an hour, hours and days as seconds: lengths that nobody gives a state in milliseconds.
_IN_SECONDS = frozenset((1800, *range(3600, 86400, 3600), *(86400 * days for days in (1, 2, 3, 4, 5, 6, 7, 14, 30))))
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
            if number is None or not (0 < number < 1000 or number in _IN_SECONDS):
                continue
            option = options.option(setting.key)
            if number >= 1000 and (option is None or option.key != "table.exec.state.ttl"):
                continue
            if option is None or option.type != "duration" or option.prefix or option.key in _ELSEWHERE or setting.key.endswith("-ms"):
                continue
            usual = parse_duration(option.default or "")
            if option.key not in _LONG and (isinstance(usual, Bad) or usual.nanos < NANOS_PER_SECOND):
                continue
            if option.key == "execution.checkpointing.min-pause" and _meant(job, block, number):
                continue
            if option.key == "heartbeat.interval" and number >= _MEANT:
                continue  # an option in milliseconds before it took units
            fixes = [context.replace(setting, f"{text} s", f"write {text} s", "unsafe")]
            default = "" if isinstance(usual, Bad) or not usual.nanos else f" (the default is {usual})"
            if number < 1000:
                message = f"`{text}` without a unit is {text} ms: {setting.key} is over almost at once{default}"
            else:
                message = f"`{text}` without a unit is milliseconds: state is dropped after {number / 1000:g} s"
            yield context.finding(message, setting, fixes=fixes)


def _meant(job: Job, block: Block, pause: int) -> bool:
    """Whether a pause of so few milliseconds is meant: checkpoints are seconds apart, or the interval beside it is in milliseconds too.

    An interval of less than a second lacks its unit as well.
    """
    setting = job.effective(block, "execution.checkpointing.interval")
    found = parse_duration(setting.text) if setting is not None and setting.known else None
    if pause >= _MEANT and (block.role == "job" or (flink.whole(setting) or 0) >= 1000):
        return True
    return found is not None and not isinstance(found, Bad) and NANOS_PER_SECOND <= found.nanos <= 10 * NANOS_PER_SECOND
