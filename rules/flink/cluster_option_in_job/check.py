"""Options of the cluster's processes in a program or a SQL script: they are read before the job comes."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.classify import PROGRAMS
from shoal.context import Context
from shoal.facts import Block
from shoal.job import Job
from shoal.model import Finding
from shoal.templates.flink import READ_AT_START
from shoal.templates.options import judged, reader_of

_TARGET = "execution.target"


def check(job: Job, context: Context) -> Iterator[Finding]:
    """A program counts where a command or a resource shows that a cluster runs it, a script where no target of its own is set: a local run makes a
    cluster of its own, with these options. A cluster of a compose file beside the program may be there for something else."""
    sign = next(iter(job.select("flink", ("command", "deployment", "sessionjob"))), None)
    beside = None if sign else next(iter(job.select("flink", ("cluster",), ("compose",))), None)
    sign = sign or beside
    if any(
        setting.text.strip().strip("\"'") not in ("remote", "kubernetes-session", "yarn-session")
        for setting in job.anywhere("flink", _TARGET)
    ):
        return
    for block in job.select("flink", ("job", "session")):
        if not _counts(block, sign):
            continue
        reader = reader_of(job, block)
        for setting in judged(job, block) if reader else ():
            option = reader.option(setting.key, reader.at) if reader else None
            if option is not None and option.scope == "cluster" and option.key.startswith(READ_AT_START):
                message = f"{setting.key} has no effect here: the cluster's processes read it before this job comes, it belongs in their configuration"
                related = [(sign, "run on a cluster")] if sign else []
                place = setting.key_place(label=setting.key)
                yield context.finding(message, place, related, confidence="low" if beside else "", covers=[setting])


def _counts(block: Block, sign: Block | None) -> bool:
    script = block.role == "session" and not block.place.path.endswith(PROGRAMS)
    return script or sign is not None
