"""`JsonDeserializer` and its like in Spring Kafka without an `ErrorHandlingDeserializer` around.

They fail inside of poll(), before the listener's error handler has a record that it could pass over: DefaultErrorHandler throws an IllegalStateException ("This error
handler cannot process 'SerializationException's directly; please consider configuring an 'ErrorHandlingDeserializer'"), and the container polls the same record again.
So it is in all of spring-kafka 2.5 to 4.0 (SeekUtils.seekOrRecover, DefaultErrorHandler.handleOtherException).
"""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Setting
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding, Place
from shoal.templates import spring

_KEYS = ("value.deserializer", "key.deserializer")
_FAILS = pattern(
    r"org\.springframework\.kafka\.support\.serializer\.(?:JsonDeserializer|JacksonJsonDeserializer)"
    r"|io\.confluent\.kafka\.(?:serializers|streams\.serdes)\.(?:\w+\.)*(?:KafkaAvro|KafkaJsonSchema|KafkaProtobuf)Deserializer"
)


def check(job: Job, context: Context) -> Iterator[Finding]:
    if job.usages("decoding-failures-handled"):
        return
    # without a listener the configuration may be nobody's, and what code makes may be for others to read with
    listened = bool(job.usages("kafka-listener"))
    for block in spring.consumers(job, configured=listened):
        given = {oddity.subject: oddity for oddity in job.oddities if oddity.kind == "deserializer-given" and oddity.block == block.id}
        for key in _KEYS:
            at: Setting | Place | None = job.written(block, key)
            name = at.text.strip() if isinstance(at, Setting) and at.known else ""
            if key in given:  # an object counts before the class that the options name
                at, name = given[key].place, given[key].detail
            if at is not None and _FAILS.fullmatch(name):
                message = (
                    f"a record that {name.rpartition('.')[2]} cannot decode fails the poll, before any error handler has a record to pass over: "
                    "the listener reads it again, for ever, and nothing behind it (put an ErrorHandlingDeserializer around)"
                )
                yield context.finding(message, at, confidence="" if listened else "low")
                break
