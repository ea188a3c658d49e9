"""`SET 'parallelism.default' = '6'`, and a compose file with two TaskManagers of two slots each."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block, Setting
from shoal.job import Job
from shoal.model import Finding, Place
from shoal.templates.common import lookup, text

_SLOTS = "taskmanager.numberOfTaskSlots"
_PARALLELISM = ("parallelism.default", "table.exec.resource.default-parallelism")
# Schedulers that make do with the slots there are.
_MODEST = ("adaptive", "reactive")


def check(job: Job, context: Context) -> Iterator[Finding]:
    asked = _asked(job)
    managers = [block for block in job.select("flink", ("cluster",), ("compose",)) if block.trait("role") == "taskmanager"]
    if asked is None or len({block.place.path for block in managers}) != 1:
        return
    if any(text(one) in _MODEST for key in ("jobmanager.scheduler", "scheduler-mode") for one in job.origins("flink", key)):
        return
    slots: list[tuple[int, Place | Block | Setting]] = []
    for block in managers:
        found, several = lookup(job, block, _SLOTS), block.trait("replicas") or "1"
        number = _number(found) if found is not None else None if block.open or block.trait("build") else 1
        if number is None or not several.isdecimal():
            return
        slots.append((number * int(several), found or block))
    total, wanted = sum(number for number, _ in slots), int(asked.text)
    if wanted <= total:
        return
    has = f"{total} slot{'s' if total > 1 else ''}"
    message = f"the job waits for {wanted} slots, and its TaskManagers have {has}: after five minutes it fails for want of resources, however often it is started again"
    confidence = "" if _runs_there(job) else "low"
    yield context.finding(message, asked, [(at, "slots here") for _, at in slots[:4]], confidence=confidence)


def _asked(job: Job) -> Setting | None:
    """The highest parallelism that the program asks for, whatever happens."""
    found = [
        one
        for block in job.select("flink", ("job", "session"))
        if block.form in ("python", "sql", "java")
        for key in _PARALLELISM
        if (one := job.written(block, key)) is not None and one.known and one.sure == "sure" and one.text.strip().isdecimal()
    ]
    return max(found, key=lambda one: int(one.text), default=None)


def _number(setting: Setting) -> int | None:
    value = setting.text.strip()
    return int(value) if setting.known and setting.sure == "sure" and value.isdecimal() else None


def _runs_there(job: Job) -> bool:
    """Whether the program is sent to a cluster: by Flink's client, or as a script of SQL. What Python starts by itself has a cluster of its own in its process."""
    return any(block.form == "sql" for block in job.select("flink", ("session",))) or any(
        block.trait("program").startswith("flink") for block in job.select("flink", ("submit", "command"))
    )
