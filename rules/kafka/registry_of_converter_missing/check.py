"""`io.confluent…` converters need `schema.registry.url` beside them, which has no default (AbstractKafkaSchemaSerDeConfig)."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates.common import verbatim

_CONVERTERS = frozenset(
    {
        "io.confluent.connect.avro.AvroConverter",
        "io.confluent.connect.protobuf.ProtobufConverter",
        "io.confluent.connect.json.JsonSchemaConverter",
    }
)


def check(job: Job, context: Context) -> Iterator[Finding]:
    """A connector with a converter of its own gets none of the worker's options for it, so that each needs its own."""
    for block in job.select("kafka-connect", ("worker", "connector")):
        settings = {setting.key for setting in job.of(block)}
        if block.open or ("connector.class" in settings and "." not in verbatim(job.get(block, "connector.class"))):
            continue  # one without a package is Confluent Cloud's
        for kind in ("key.converter", "value.converter"):
            found = job.written(block, kind)
            if verbatim(found) in _CONVERTERS and found is not None and f"{kind}.schema.registry.url" not in settings:
                where = "the worker" if block.role == "worker" else "the connector"
                message = f"{where} does not start: {verbatim(found).rpartition('.')[2]} needs {kind}.schema.registry.url beside it, which has no default"
                yield context.finding(message, found)
