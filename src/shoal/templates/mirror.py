"""What rules ask of MirrorMaker 2: its flows, whether they run, and what a connector of one is told."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.facts import Block, Setting
from shoal.job import Job
from shoal.templates.common import text


def makers(job: Job) -> Iterator[Block]:
    """Every MirrorMaker: of a properties file, or a resource of Strimzi's."""
    yield from job.select("kafka-mirror", ("maker",))
    yield from (block for block in job.select("kafka-connect", ("worker",)) if block.trait("kind") == "KafkaMirrorMaker2")


def clusters(maker: Block) -> list[str]:
    """The clusters that a properties file lists."""
    return [name for name in maker.trait("clusters").split(",") if name]


def flows(job: Job, maker: Block) -> list[Block]:
    return [block for block in job.children(maker) if block.engine == "kafka-mirror" and block.role == "flow"]


def cluster(job: Job, maker: Block, name: str) -> Block | None:
    return next((block for block in job.children(maker) if block.role == "cluster" and block.name == name), None)


def enabled(job: Job, flow: Block) -> bool:
    """Whether a flow surely runs; Strimzi's do."""
    setting = job.written(flow, "enabled") or ((parent := job.parent(flow)) and job.written(parent, "enabled"))
    return flow.trait("enabled") == "true" or (setting is not None and setting.known and text(setting) == "true")


def option(job: Job, flow: Block, key: str, connector: str) -> Setting | None:
    """What one of a flow's connectors is told: by the flow, by the file as a whole, or, in a resource of Strimzi's, by its own config."""
    for block in job.children(flow):
        if block.role == "connector" and block.trait("connector") == connector and (found := job.written(block, key)) is not None:
            return found
    found = job.written(flow, key)
    maker = job.parent(flow)
    return found or (job.written(maker, key) if maker is not None and maker.engine == "kafka-mirror" else None)
