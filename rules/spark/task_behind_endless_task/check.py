"""`depends_on` in a continuous job, and on a task that runs a continuous pipeline of the same bundle; tasks of a DAG behind one that submits a stream."""

from __future__ import annotations

import re
from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block, Setting
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.templates import spark
from shoal.templates.common import text

_WAITS = pattern(r"job\.tasks\.(\d+)\.depends_on\.\d+")
_PIPELINE = pattern(r"\$\{resources\.pipelines\.([\w-]+)\.id\}")


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Of a job with targets its own blocks and theirs are apart, and what a target changes is not followed."""
    endless = {
        block.name: found for block in job.select("spark", ("application",), ("bundle",)) if (found := _endless(job, block)) is not None
    }
    for block in job.select("spark", ("application",), ("bundle",)):
        settings = job.of(block)
        waits = [setting for setting in settings if _WAITS.fullmatch(setting.key)]
        continuous = next((setting for setting in settings if setting.key.startswith("job.continuous.")), None)
        if waits and continuous is not None:
            message = "tasks of a continuous job cannot depend on one another: the deployment is refused, or this task waits for one that is not meant to end"
            yield context.finding(message, waits[0].key_place(), [(continuous, "continuous")])
            continue
        for wait in waits:
            pipeline = _runs(job, block, wait.text)
            found = endless.get(pipeline.group(1)) if pipeline is not None else None
            if found is not None and pipeline is not None:
                message = f"this task never starts: {wait.text} runs the pipeline {pipeline.group(1)}, which is continuous and never ends"
                yield context.finding(message, wait, [(found, "continuous")])
    yield from _behind_streams(job, context)


def _behind_streams(job: Job, context: Context) -> Iterator[Finding]:
    """Tasks of Airflow that wait for spark-submit, which waits for the program's queries."""
    for oddity in job.oddities:
        found = spark.endless_program(job, oddity.subject) if oddity.kind == "task-behind" else None
        if found is None:
            continue
        place, started = found
        name = oddity.subject.rpartition("/")[2]
        message = f"the tasks behind this one never start: {name} waits until its query ends, which a stream does when it is stopped or fails, and the task waits for {name}"
        yield context.finding(message, oddity, [*oddity.related, (place, "waits for ever")], confidence="" if started else "low")


def _endless(job: Job, block: Block) -> Setting | None:
    found = job.get(block, "pipeline.continuous")
    return found if text(found) == "true" and not block.trait("target") else None


def _runs(job: Job, block: Block, task: str) -> re.Match[str] | None:
    """The pipeline of the bundle that a task of a job runs."""
    for setting in job.of(block):
        if setting.key.startswith("job.tasks.") and setting.key.endswith(".task_key") and setting.text == task:
            pipeline = job.get(block, f"{setting.key.removesuffix('.task_key')}.pipeline_task.pipeline_id")
            return _PIPELINE.fullmatch(pipeline.text.strip()) if pipeline is not None else None
    return None
