"""`jobmanager.memory.process.size` and others in `flinkConfiguration`, beside the field of the resource that the operator writes over them; the parallelism of a job beside `taskManager.replicas`.

`FlinkConfigBuilder` of the operator (1.2 to 1.14) takes the configuration first, and then the image, the resources, the replicas and the job.
"""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block, Setting
from shoal.job import Job
from shoal.model import Finding
from shoal.records import NamedTuple
from shoal.templates import flink
from shoal.values import Bad, MemorySize
from shoal.values.containers import kubernetes_memory
from shoal.values.flink import parse_memory
from shoal.values.java import parse_double


class _Pair(NamedTuple):
    keys: tuple[str, ...]
    fields: tuple[str, ...]  # the first that is there counts
    kind: str


def _sizes(process: str, part: str) -> Iterator[_Pair]:
    field = f"spec.{part}.resource"
    # the newer field, which goes before, is a Kubernetes resource; its limit stands in for a request that is not there
    memory = (f"{field}s.requests.memory", f"{field}s.limits.memory", f"{field}.memory")
    cpu = (f"{field}s.requests.cpu", f"{field}s.limits.cpu", f"{field}.cpu")
    yield _Pair((f"{process}.memory.process.size",), memory, "memory")
    yield _Pair((f"kubernetes.{process}.cpu.amount", f"kubernetes.{process}.cpu"), cpu, "number")


_PAIRS = (
    *_sizes("jobmanager", "jobManager"),
    *_sizes("taskmanager", "taskManager"),
    _Pair(("kubernetes.jobmanager.replicas",), ("spec.jobManager.replicas",), "number"),
    _Pair(("parallelism.default",), ("spec.job.parallelism",), "number"),
)


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select("flink", ("deployment",)):
        if not flink.by_operator(block):
            continue
        for pair in _PAIRS:
            if pair.keys == ("parallelism.default",) and job.written(block, "spec.taskManager.replicas") is not None:
                continue  # parallelism is then their slots
            option, field = _first(job, block, pair.keys), _first(job, block, pair.fields)
            if option is None or field is None:
                continue
            here, there = _value(option, pair.kind), _value(field, pair.kind)
            if here is None or not there or here == there:
                continue
            message = f"{option.key} is not {option.text.strip()}: the operator writes {field.key}, {field.text.strip()}, over it"
            yield context.finding(message, option, [(field, "what counts")])
        yield from _parallelism(job, context, block)


def _parallelism(job: Job, context: Context, block: Block) -> Iterator[Finding]:
    """The parallelism of a job beside a number of TaskManagers, whose slots are the parallelism then, in both modes of the operator."""
    asked, managers = job.written(block, "spec.job.parallelism"), job.written(block, "spec.taskManager.replicas")
    slots = job.written(block, "taskmanager.numberOfTaskSlots")
    if asked is None or managers is None:
        return
    wanted, replicas = _value(asked, "number"), _value(managers, "number")
    each = _value(slots, "number") if slots is not None else None
    if not wanted or wanted < 0 or not replicas or (slots is not None and each is None):
        return
    # what the operator has for slots where the resource says nothing is its own affair
    if each is not None and wanted != replicas * each:
        made = f"{int(replicas)} TaskManagers of {int(each)} slots make {int(replicas * each)}"
    elif each is None and wanted % replicas:
        made = f"{int(replicas)} TaskManagers make as much as they have slots"
    else:
        return
    message = (
        f"the parallelism is not {int(wanted)}: the operator does not look at it where the number of TaskManagers is given, and {made}"
    )
    yield context.finding(message, asked, [(one, "what counts") for one in (managers, slots) if one is not None])


def _first(job: Job, block: Block, keys: tuple[str, ...]) -> Setting | None:
    return next((found for key in keys if (found := job.written(block, key)) is not None), None)


def _value(setting: Setting, kind: str) -> float | None:
    """The value as a number; None where it is not known, or is none."""
    text = setting.text.strip()
    if not setting.known or setting.sure != "sure":
        return None
    if kind == "number":
        number = parse_double(text)
        return None if isinstance(number, Bad) else number
    size: MemorySize | Bad | float | None = parse_memory(text)
    if isinstance(size, Bad) and setting.key.startswith("spec."):
        size = kubernetes_memory(text)  # the operator takes both, and Flink's own first
    found = size.bytes if isinstance(size, MemorySize) else size
    return float(found) if isinstance(found, (int, float)) else None
