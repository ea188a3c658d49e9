"""`localhost` as the only broker of a Flink job whose TaskManagers are services of a compose file."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.jobs import questions
from shoal.model import Finding
from shoal.templates import kafka


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Whether the job is submitted there is not known, unless a service does so or mounts it: it may as well be started in an IDE."""
    workers = [block for block in questions.config_blocks(job) if block.form == "compose" and block.trait("role") == "taskmanager"]
    if job.kind != "job" or not workers or any(block.trait("network") for block in workers):
        return
    sure = "medium" if any(member.why.startswith("runs ") for member in job.members) else ""
    for setting in job.settings:
        block = job.blocks.get(setting.block)
        if block is None or block.engine != "flink" or block.role not in ("source", "sink", "table") or block.trait("local"):
            continue
        if kafka.all_local(setting):
            message = f"the TaskManagers run in containers, in which {setting.text} is the container itself: their clients wait there for Kafka until they time out"
            yield context.finding(message, setting, [(workers[0], "a TaskManager in a container")], confidence=sure)
