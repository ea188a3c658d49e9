"""Sizes of a process and of its parts that were meant in megabytes."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import flink
from shoal.values.flink_memory import SIZES

_RESOURCES = ("spec.jobManager.resource.memory", "spec.taskManager.resource.memory")  # the operator tries Flink's own grammar first
_MEANT = 1 << 20  # bytes; no part of a Flink process is smaller


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select("flink", ("cluster", "deployment", "session", "command", "job")):
        for setting in job.of(block):
            number = flink.whole(setting) if setting.key in SIZES or (setting.key in _RESOURCES and flink.by_operator(block)) else None
            if number is None or not 0 < number < _MEANT:
                continue
            text = setting.text.strip()
            unit = "m" if number >= 16 else "g"
            fixes = [context.replace(setting, f"{text}{unit}", f"write {text}{unit}", "unsafe")]
            yield context.finding(f"`{text}` without a unit is {text} bytes of memory", setting, fixes=fixes)
