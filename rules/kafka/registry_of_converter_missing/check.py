"""`io.confluent…` converters need `schema.registry.url` beside them, which has no default (AbstractKafkaSchemaSerDeConfig)."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block
from shoal.job import Job
from shoal.jobs.boundaries import folder_of, in_line
from shoal.model import Finding
from shoal.templates.common import verbatim
from shoal.templates.strimzi import is_for, may_be_for

_CONVERTERS = frozenset(
    {
        "io.confluent.connect.avro.AvroConverter",
        "io.confluent.connect.protobuf.ProtobufConverter",
        "io.confluent.connect.json.JsonSchemaConverter",
    }
)


def check(job: Job, context: Context) -> Iterator[Finding]:
    """A connector with a converter of its own gets none of the worker's options for it, so that each needs its own.

    A worker makes its converter for the tasks whose connector has none (`Worker.startTask`), and not when it starts.
    """
    for block in job.select("kafka-connect", ("worker", "connector")):
        settings = {setting.key for setting in job.of(block)}
        if block.open or ("connector.class" in settings and "." not in verbatim(job.get(block, "connector.class"))):
            continue  # one without a package is Confluent Cloud's
        for kind in ("key.converter", "value.converter"):
            found = job.written(block, kind)
            if verbatim(found) in _CONVERTERS and found is not None and f"{kind}.schema.registry.url" not in settings:
                needs = f"{verbatim(found).rpartition('.')[2]} needs {kind}.schema.registry.url beside it, which has no default"
                if block.role == "connector":
                    yield context.finding(f"the connector does not start: {needs}", found)
                    continue
                run = _run_by(job, block)
                if takers := [one for one in run if job.written(one, kind) is None]:
                    message = f"the tasks of {takers[0].name or 'its connector'} fail, which take the worker's converter: {needs}"
                    sure = "" if block.trait("operator") == "strimzi" or takers[0].place.path == block.place.path else "medium"
                    yield context.finding(message, found, [(takers[0], "has no converter of its own")], confidence=sure)
                elif not run:
                    yield context.finding(f"tasks of connectors without a converter of their own fail: {needs}", found, confidence="medium")


def _run_by(job: Job, worker: Block) -> list[Block]:
    """The connectors that a worker runs: those of its resource, or those in a folder above or below it."""
    connectors = [block for block in job.select("kafka-connect", ("connector",)) if not block.trait("program")]
    folder = folder_of(worker.place.path)
    if worker.trait("operator") == "strimzi":
        resources = [block for block in connectors if block.trait("operator") == "strimzi"]
        return [block for block in resources if is_for(block, worker)] or [block for block in resources if may_be_for(block, worker)]
    return [block for block in connectors if not block.trait("operator") and in_line(folder_of(block.place.path), folder)]
