"""Options that a running cluster has read before the job came."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates.flink import READ_AT_START
from shoal.templates.options import judged, reader_of


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select("flink", ("sessionjob",)):
        reader = reader_of(job, block)
        for setting in judged(job, block) if reader else ():
            option = reader.option(setting.key, reader.at) if reader else None
            if option is not None and option.scope == "cluster" and option.key.startswith(READ_AT_START):
                message = (
                    f"{setting.key} has no effect here: the session cluster has read it before this job came; set it in the FlinkDeployment"
                )
                yield context.finding(message, setting.key_place(label=setting.key), covers=[setting])
