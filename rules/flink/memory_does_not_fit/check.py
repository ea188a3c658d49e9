"""Sizes of a process and of its parts, shared out as Flink does before it starts the process."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block, Setting
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import flink
from shoal.templates.common import lookup
from shoal.values import Bad, MemorySize
from shoal.values.containers import kubernetes_memory
from shoal.values.flink import parse_memory
from shoal.values.flink_memory import FRACTIONS, SIZES, excess, shortage
from shoal.values.java import parse_double

_PROCESSES = {"jobmanager": ("JobManager", "jobManager"), "taskmanager": ("TaskManager", "taskManager")}
_MB = 1 << 20


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select("flink", ("cluster", "deployment", "session")):
        if block.open:
            continue
        for process, (name, field) in _PROCESSES.items():
            if block.trait("role") not in ("", process):
                continue  # another process runs here, which does not read them
            found = _given(job, block, process, field)
            if found is None:
                continue
            given, settings = found
            lack, too_much = shortage(process, given), excess(process, given)
            if (lack is None and too_much is None) or not any(setting.block == block.id for setting in settings.values()):
                continue
            size = settings[lack.key if lack is not None else f"{process}.memory.process.size"]
            why = ""
            if lack is not None:
                parts = ", ".join(f"{_megabytes(amount)} {part}" for part, amount in lack.parts)
                why = f"{size.text.strip()} are less than what they are to hold, {parts}"
            elif too_much is not None:
                left, most = map(_megabytes, too_much)
                why = f"{size.text.strip()} leave {left} for JVM overhead beside {process}.memory.flink.size and metaspace, which may have {most} at most"
            message = f"the {name} does not start: {why}"
            related = [setting for key, setting in settings.items() if setting is not size and key.endswith(".size")]
            yield context.finding(message, size, related)


def _given(job: Job, block: Block, process: str, field: str) -> tuple[dict[str, float], dict[str, Setting]] | None:
    """The options of a process's memory that are set, as numbers; None where one of them is not known, or is no size that could be meant."""
    given: dict[str, float] = {}
    settings: dict[str, Setting] = {}
    for key in (*SIZES, *FRACTIONS):
        setting = lookup(job, block, key) if key.startswith(process) else None
        if key == f"{process}.memory.process.size" and flink.by_operator(block):
            setting = job.written(block, f"spec.{field}.resource.memory") or setting
        if setting is None:
            continue
        value = _measure(setting, key)
        if value is None:
            return None
        given[key], settings[key] = value, setting
    return given, settings


def _measure(setting: Setting, key: str) -> float | None:
    text = setting.text.strip()
    if not setting.known:
        return None
    if key in FRACTIONS:
        fraction = parse_double(text)
        return None if isinstance(fraction, Bad) or not 0 <= fraction < 1 else fraction
    size: MemorySize | Bad | float | None = parse_memory(text)
    if isinstance(size, Bad) and setting.key.startswith("spec."):
        size = kubernetes_memory(text)  # the operator takes both, and Flink's own first
    number = size.bytes if isinstance(size, MemorySize) else size
    return number if isinstance(number, (int, float)) and (number == 0 or number >= _MB) else None


def _megabytes(amount: int) -> str:
    return f"{round(amount / _MB)} mb"
