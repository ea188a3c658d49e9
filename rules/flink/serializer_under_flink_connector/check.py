"""`value.serializer` and its like in the properties of a Kafka sink or source of Flink, whose own schemas give and take bytes.

Read in the sources of the connector, 1.16 to 3.4.0: a sink keeps what it is given ("Overwriting the '{}' is not recommended"), `FlinkKafkaConsumer` and `KafkaSource` up to
3.2 put ByteArrayDeserializer in its place, and `KafkaSource` refuses it from 3.3 on ("does not deserialize byte[]").
"""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.templates import tables
from shoal.templates.common import verbatim

# Kafka's own alone: others may well take bytes.
_OWN = pattern(
    r"(?:org\.apache\.kafka\.common\.serialization\.)?((?:Boolean|Bytes|ByteBuffer|Double|Float|Integer|Long|Short|String|UUID|Void)(?:Des|S)erializer)"
)


def check(job: Job, context: Context) -> Iterator[Finding]:
    for sink in job.select("flink", ("table", "sink")):
        for kind in ("value", "key") if sink.trait("connector") in ("kafka", "upsert-kafka") else ():
            setting = tables.option(job, sink, f"properties.{kind}.serializer")
            named = _OWN.fullmatch(verbatim(setting))
            if setting is not None and named is not None:
                first = "the first record" if kind == "value" else "the first record with a key"
                message = f"{first} is refused with a SerializationException: the sink's own schema makes bytes, and {named[1]} takes none (leave it out)"
                yield context.finding(message, setting, confidence="" if kind == "value" else "medium")
    for source in tables.readers(job, "kafka"):
        for kind in ("value", "key"):
            setting = tables.option(job, source, f"properties.{kind}.deserializer")
            named = _OWN.fullmatch(verbatim(setting))
            if setting is not None and named is not None:
                then = "its own schema reads bytes"
                if source.trait("legacy") != "true":
                    then += ", and from version 3.3 of the connector on it refuses to be built with another deserializer than that of bytes"
                message = f"{named[1]} has no effect on the records: {then} (leave it out)"
                yield context.finding(message, setting, severity="info", confidence="low")
