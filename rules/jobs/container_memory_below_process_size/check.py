"""The memory of a container in a compose file or a pod, and the size of the process that runs in it."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block, Setting
from shoal.job import Job
from shoal.model import Finding
from shoal.values import Bad
from shoal.values.containers import compose_memory, kubernetes_memory
from shoal.values.flink import parse_memory

_CONFS = {"compose": ("flink-conf", "flink-yaml"), "manifest": ("configmap",)}
_NAMES = {"jobmanager": "JobManager", "taskmanager": "TaskManager"}


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select("flink", ("cluster",), ("compose", "manifest")):
        role = block.trait("role")
        limit = job.written(block, "spec.memory-limit")
        if limit is None or not limit.known or role not in _NAMES:
            continue
        size = _size(job, block, f"{role}.memory.process.size")
        most = compose_memory(limit.text) if block.form == "compose" else kubernetes_memory(limit.text)
        if size is None or not size.known or most is None:
            continue
        taken = parse_memory(size.text.strip())
        if isinstance(taken, Bad) or most >= taken.bytes or most <= 0:
            continue
        message = f"the {_NAMES[role]} is killed once it uses what it is given: its process takes {size.text.strip()}, and its container may use {limit.text.strip()}"
        confidence = "" if size.block == block.id else "medium"
        yield context.finding(message, limit, [(size, "the size of the process")], confidence=confidence)


def _size(job: Job, block: Block, key: str) -> Setting | None:
    """The size in the container itself, else in the one conf of the job: of pods, its config map."""
    own = job.get(block, key)
    if own is not None:
        return own
    found = [setting for setting in job.origins("flink", key) if job.blocks[setting.block].form in _CONFS[block.form]]
    return found[0] if len({(setting.path, setting.block) for setting in found}) == 1 else None
