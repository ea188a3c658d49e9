"""Kafka's own (de)serializers against the types of the client that they are given to."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.templates.common import verbatim

_CLASS = pattern(r"(?:org\.apache\.kafka\.common\.serialization\.)?([A-Z]\w*?)(?:Des|S)erializer")
# What is written of a class's name in front of `Serializer`, and the type that it is of.
_TYPES = {
    "Boolean": "Boolean",
    "ByteArray": "byte[]",
    "ByteBuffer": "ByteBuffer",
    "Bytes": "Bytes",
    "Double": "Double",
    "Float": "Float",
    "Integer": "Integer",
    "Long": "Long",
    "Short": "Short",
    "String": "String",
    "UUID": "UUID",
}
_ANY_BYTES = ("byte[]", "ByteBuffer", "Bytes", "String")  # what can be read of any bytes


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select("kafka", ("consumer", "producer")):
        types, reads = block.trait("typed").split(), block.role == "consumer"
        for kind, declared in zip(("key", "value"), types, strict=False):
            setting = job.get(block, f"{kind}.deserializer" if reads else f"{kind}.serializer")
            found = _CLASS.fullmatch(verbatim(setting)) if setting is not None else None
            made = _TYPES.get(found[1]) if found is not None else None
            if setting is None or made is None or declared not in _TYPES.values() or made == declared:
                continue
            if not reads:
                message = f"the first record with a {kind} is refused with a SerializationException: this writes a {made}, and the producer is given {declared}"
            else:
                other = "" if made in _ANY_BYTES else "what is none ends poll() with a SerializationException, and "
                message = f"{kind}s are read as {made}, and the consumer's are {declared}: {other}each is a ClassCastException where it is taken for one"
            yield context.finding(message, setting, confidence="low" if block.open else "")
