"""Services carry separate copies of the configuration, and what concerns a whole job is read from the JobManager's."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block, Setting
from shoal.job import Job
from shoal.model import Finding

# Read where a job's plan is made or coordinated. Checkpoint storage and backends are read on TaskManagers as well, but from the job.
_JOB_WIDE = (
    "execution.checkpointing.interval",
    "execution.checkpointing.timeout",
    "execution.checkpointing.mode",
    "execution.checkpointing.min-pause",
    "execution.checkpointing.tolerable-failed-checkpoints",
    "execution.checkpointing.dir",
    "execution.checkpointing.savepoint-dir",
    "execution.checkpointing.externalized-checkpoint-retention",
    "state.checkpoints.dir",
    "state.savepoints.dir",
    "restart-strategy",
)
# Read by whoever submits a job, which most do in the JobManager's container.
_OF_CLIENT = "parallelism.default"


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Silent where a program, a client or another file could be meant to read them."""
    for workers, masters in _clusters(job):
        if not masters or any(block.open for block in masters):
            continue
        for block in workers:
            lost = [
                setting
                for setting in job.of(block)
                if setting.key.startswith(_JOB_WIDE) and not any(job.get(other, setting.key) for other in masters)
            ]
            if not lost:
                yield from _parallelism(job, context, block, masters)
                continue
            first, *rest = lost
            more = f" (nor {', '.join(setting.key for setting in rest)})" if rest else ""
            message = f"{first.key} is never read{more}: it stands with {block.name} alone, and what concerns a whole job is read from the JobManager's configuration"
            related: list[tuple[Setting | Block, str]] = [(masters[0], "not set here")]
            yield context.finding(message, first, [*related, *((setting, "nor is this") for setting in rest)])


def _parallelism(job: Job, context: Context, block: Block, masters: list[Block]) -> Iterator[Finding]:
    found = job.get(block, _OF_CLIENT)
    if found is not None and not any(job.get(other, _OF_CLIENT) for other in masters):
        message = f"{_OF_CLIENT} is not read by a TaskManager: a job that is submitted in {masters[0].name or 'the JobManager'}, or over its REST API, gets that of the configuration there, which does not have it"
        yield context.finding(message, found, [(masters[0], "not set here")], severity="info", confidence="low")


def _clusters(job: Job) -> Iterator[tuple[list[Block], list[Block]]]:
    """TaskManagers and JobManagers of each compose file that runs one cluster."""
    files: dict[str, list[Block]] = {}
    for block in job.select("flink", ("cluster",), ("compose",)):
        files.setdefault(block.place.path, []).append(block)
    for blocks in files.values():
        masters = [block for block in blocks if block.trait("role") == "jobmanager"]
        others = [block for block in blocks if block.trait("role") not in ("jobmanager", "taskmanager")]
        if len(masters) == 1 and not others:
            yield [block for block in blocks if block.trait("role") == "taskmanager"], masters
