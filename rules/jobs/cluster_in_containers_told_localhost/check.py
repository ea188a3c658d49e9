"""`localhost` as the only broker of a Flink job whose TaskManagers are services of a compose file, or pods that the operator starts."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block
from shoal.job import Job
from shoal.jobs import questions
from shoal.model import Finding
from shoal.templates import kafka


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Whether the job is submitted there is not known, unless a service does so or mounts it: it may as well be started in an IDE."""
    found = questions.config_blocks(job)
    workers = [block for block in found if block.form == "compose" and block.trait("role") == "taskmanager"]
    # the resource that names the program; another may run any program
    runs = {member.path for member in job.members if member.why.startswith("runs ")}
    pods = [block for block in found if block.trait("kind") == "FlinkDeployment" and block.place.path in runs]
    if job.kind != "job" or not (workers or pods) or any(block.trait("network") for block in workers) or any(map(_shared, pods)):
        return
    sure = "medium" if runs else ""
    where, what = (pods[0], "a pod of its own") if pods else (workers[0], "a TaskManager in a container")
    kept = "pods of Kubernetes" if pods else "containers"
    for setting in job.settings:
        block = job.blocks.get(setting.block)
        if block is None or block.engine != "flink" or block.role not in ("source", "sink", "table") or block.trait("local"):
            continue
        if kafka.all_local(setting):
            message = f"the TaskManagers run in {kept}, in which {setting.text} is the {'pod' if pods else 'container'} itself: their clients wait there for Kafka until they time out"
            yield context.finding(message, setting, [(where, what)], confidence=sure)


def _shared(block: Block) -> bool:
    """Whether something else may answer at a pod's localhost: a sidecar, or the machine."""
    return block.open or bool(block.trait("shared"))
