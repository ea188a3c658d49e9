"""Bare numbers where seconds or hours are usual."""

from __future__ import annotations

from collections.abc import Iterator

from shoal import catalogue
from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import flink
from shoal.values import NANOS_PER_SECOND, Bad
from shoal.values.flink import parse_duration

_ROLES = ("cluster", "deployment", "sessionjob", "session", "command", "job")
# Options whose default says nothing about their usual size.
_LONG = frozenset({"table.exec.state.ttl", "execution.checkpointing.min-pause", "execution.checkpointing.interval-during-backlog"})
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
            fixes = [context.replace(setting, f"{text} s", f"write {text} s", "unsafe")]
            default = "" if isinstance(usual, Bad) or not usual.nanos else f" (the default is {usual})"
            yield context.finding(
                f"`{text}` without a unit is {text} ms: {setting.key} is over almost at once{default}", setting, fixes=fixes
            )
