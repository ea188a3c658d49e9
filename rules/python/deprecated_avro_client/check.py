"""`confluent_kafka.avro.AvroProducer` and `AvroConsumer` warn of themselves since 2.0.2 (`avro/__init__.py` of 2.16.1)."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding

# What comes of each, and what to use instead.
_CLIENTS = {
    "AvroProducer": ("", "a Producer, and an AvroSerializer for what it sends"),
    "AvroConsumer": (
        ", and a record that is none raises out of poll() before the program has seen it",
        "a Consumer, and an AvroDeserializer in a try of its own, so that a record which is none can be put aside",
    ),
}


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for name, (what, instead) in _CLIENTS.items():
        call = next((one for one in module.named(name) if module.qualified(one) == f"confluent_kafka.avro.{name}"), None)
        if call is not None:
            message = f"{name} is deprecated since confluent-kafka 2.0.2: it gets no more repairs{what} ({instead})"
            yield context.finding(message, module.call_place(call), covers=[module.covers(call)])
