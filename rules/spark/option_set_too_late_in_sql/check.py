"""`SET` of options that no session can change; the same in Python is option-set-too-late."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.classify import PROGRAMS
from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates.spark import refused_at_runtime


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select("spark", ("session",), ("sql",)):
        for setting in job.of(block):
            why = refused_at_runtime(setting.key) if not setting.path.endswith(PROGRAMS) else ""
            if why:
                yield context.finding(f"{setting.key} {why}", setting.key_place(label=setting.key), covers=[setting])
