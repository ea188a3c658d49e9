"""`value.converter.schema.registry.url` beside one of Kafka's own converters, which write and read no schemas of a registry."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates.common import verbatim

_PLAIN = ("org.apache.kafka.connect.json.JsonConverter", "org.apache.kafka.connect.storage.", "org.apache.kafka.connect.converters.")


def check(job: Job, context: Context) -> Iterator[Finding]:
    """A connector with a converter of its own gets none of the worker's options for it: what a worker says here is for the worker's alone."""
    for block in job.select("kafka-connect", ("worker", "connector")):
        for kind in ("key.converter", "value.converter"):
            converter, registry = job.written(block, kind), job.written(block, f"{kind}.schema.registry.url")
            if converter is None or registry is None or not verbatim(converter).startswith(_PLAIN):
                continue
            name = verbatim(converter).rpartition(".")[2]
            message = f"{name} asks no schema registry, so this has no effect: records carry their schema themselves, or none, and nothing checks it (AvroConverter or JsonSchemaConverter do)"
            yield context.finding(message, registry, [(converter, "the converter")])
