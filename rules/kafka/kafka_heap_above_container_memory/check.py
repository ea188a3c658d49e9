"""The heap of a broker's or a Connect worker's JVM, and the memory of the container that it runs in."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block, Setting
from shoal.job import Job
from shoal.model import Finding
from shoal.values.containers import compose_memory, heap, kubernetes_memory

_BROKERS = frozenset(
    {
        "apache/kafka",
        "confluentinc/cp-kafka",
        "confluentinc/cp-server",
        "confluentinc/cp-enterprise-kafka",
        "bitnami/kafka",
        "bitnamilegacy/kafka",
        "wurstmeister/kafka",
    }
)
# What `kafka-server-start` and `connect-distributed` set where KAFKA_HEAP_OPTS is empty; the images above change nothing about it.
_DEFAULTS = {"broker": ("-Xmx1G", 1024.0**3), "worker": ("-Xmx2G", 2 * 1024.0**3)}
# Strimzi's resources, by role: where they say what the JVMs of their pods get, and what these are. Without a heap the operator gives half of the limit.
_STRIMZI = {
    "broker": (("spec.kafka", "broker"), ("spec.zookeeper", "ZooKeeper server")),
    "kafkanodepool": (("spec", "node"),),
    "worker": (("spec", "worker"),),
}


def check(job: Job, context: Context) -> Iterator[Finding]:
    blocks = [
        *job.select("kafka", ("broker",), ("compose", "manifest")),
        *job.select("kafka-connect", ("worker",), ("compose", "manifest")),
    ]
    for block in blocks:
        limit, options = job.written(block, "spec.memory-limit"), job.written(block, "spec.heap-options")
        if limit is None or not limit.known or block.trait("tool"):
            continue
        most = (compose_memory if block.form == "compose" else kubernetes_memory)(limit.text)
        found = _heap(job, block, options)
        if found is None or not most or most > found[1]:
            continue
        option, _ = found
        given = f"it is told {option}" if options is not None else f"it has {option}, as no KAFKA_HEAP_OPTS says otherwise"
        message = f"the {block.role} is killed once it uses its heap: {given}, and its container may use {limit.text.strip()}"
        related = [(options, "how large the heap may grow")] if options is not None else []
        yield context.finding(message, limit, related, confidence=_confidence(job, block, options))
    yield from _strimzi(job, context)


def _strimzi(job: Job, context: Context) -> Iterator[Finding]:
    for block in (block for block in job.select() if block.trait("operator") == "strimzi"):
        for field, what in _STRIMZI.get(block.role, ()):
            limit, given = job.written(block, f"{field}.resources.limits.memory"), job.written(block, f"{field}.jvmOptions.-Xmx")
            if limit is None or given is None or not limit.known or not given.known:
                continue
            most, found = kubernetes_memory(limit.text), heap(f"-Xmx{given.text.strip()}")
            if most and found is not None and most <= found[1]:
                message = (
                    f"the {what} is killed once it uses its heap: it is told {found[0]}, and its container may use {limit.text.strip()}"
                )
                sure = "" if what in ("broker", "node") else "medium"
                yield context.finding(message, given, [(limit, "what its container may use")], confidence=sure)


def _heap(job: Job, block: Block, options: Setting | None) -> tuple[str, float] | None:
    """How large the heap may grow; None where that is not known, or a share of what the container has."""
    if options is not None:
        return heap(options.text) if options.known else None
    native = any(image.name.endswith("-native") for image in job.images(block))  # no JVM
    return None if block.open or native else _DEFAULTS[block.role]


def _confidence(job: Job, block: Block, options: Setting | None) -> str:
    """A worker may never need the heap it is given; an image that is not known may set another one."""
    if options is not None:
        return "" if block.role == "broker" else "medium"
    known = any(image.name in _BROKERS for image in job.images(block)) and not block.trait("command")
    return "medium" if known else "low"
