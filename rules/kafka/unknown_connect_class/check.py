"""Classes that a worker or a connector names, against those that Kafka has in its own packages (its connect-* artifacts, 2.0 to 4.1)."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding

_OURS = "org.apache.kafka.connect."
_CONVERTERS = {
    "ByteArrayConverter": "converters",
    "BooleanConverter": "converters",
    "DoubleConverter": "converters",
    "FloatConverter": "converters",
    "IntegerConverter": "converters",
    "LongConverter": "converters",
    "ShortConverter": "converters",
    "StringConverter": "storage",
    "SimpleHeaderConverter": "storage",
    "JsonConverter": "json",
}
# What clients serialize records with, which implements another interface, and the converter that does the same.
_OF_CLIENTS = pattern(
    r"(?:io\.confluent\.kafka\.serializers(?:\.\w+)?|org\.apache\.kafka\.common\.serialization)\.(\w+?)(?:Serializer|Deserializer)"
)
_INSTEAD = {
    "KafkaAvro": "io.confluent.connect.avro.AvroConverter",
    "KafkaJsonSchema": "io.confluent.connect.json.JsonSchemaConverter",
    "KafkaProtobuf": "io.confluent.connect.protobuf.ProtobufConverter",
    "KafkaJson": "org.apache.kafka.connect.json.JsonConverter",
    "ByteArray": "org.apache.kafka.connect.converters.ByteArrayConverter",
    "String": "org.apache.kafka.connect.storage.StringConverter",
    **{name: f"org.apache.kafka.connect.converters.{name}Converter" for name in ("Double", "Float", "Integer", "Long", "Short")},
}
# Each of these has a class for the record's key and one for its value, and is none to be made itself.
_IN_HALVES = (
    "Cast",
    "ExtractField",
    "Flatten",
    "HeaderFrom",
    "HoistField",
    "InsertField",
    "MaskField",
    "ReplaceField",
    "SetSchemaMetadata",
    "TimestampConverter",
)
_WHOLE = ("DropHeaders", "Filter", "InsertHeader", "RegexRouter", "TimestampRouter", "ValueToKey")
_PREDICATES = ("HasHeaderKey", "RecordIsTombstone", "TopicNameMatches")
_CONVERTER_KEY = pattern(r"(?:(?:key|value|header)|internal\.(?:key|value))\.converter")
_TRANSFORM_KEY = pattern(r"transforms\.[^.]+\.type")
_PREDICATE_KEY = pattern(r"predicates\.[^.]+\.type")
_NESTED = pattern(r"[\w.]+\$(?:Key|Value)")
_ABSTRACT = "is abstract: there is one for the record's key and one for its value"


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select("kafka-connect", ("worker", "connector")):
        for setting in job.of(block):
            name = setting.text.strip()
            client = _OF_CLIENTS.fullmatch(name) if setting.known and _CONVERTER_KEY.fullmatch(setting.key) else None
            if client is not None:
                meant = f" ({_INSTEAD[client[1]]} is meant)" if client[1] in _INSTEAD else ""
                message = (
                    f"Kafka Connect refuses the configuration: {name.rpartition('.')[2]} is for clients of Kafka, and no converter{meant}"
                )
                yield context.finding(message, setting)
                continue
            # `Flatten$Value` looks like a variable of the shell, and is none
            if not name.startswith(_OURS) or not (setting.known or _NESTED.fullmatch(name)):
                continue
            why = _why(setting.key, name.removeprefix(_OURS))
            if why:
                yield context.finding(f"Kafka Connect refuses the configuration: {name} {why}", setting)


def _why(key: str, name: str) -> str:
    """What is wrong with the name of a class; empty where nothing is, or where it may be somebody else's in a package of the same name."""
    package, _, simple = name.rpartition(".")
    if _CONVERTER_KEY.fullmatch(key) and package in ("converters", "storage", "json"):
        if _CONVERTERS.get(simple) == package:
            return ""
        return f"is no class: there is {_OURS}{_CONVERTERS[simple]}.{simple}" if simple in _CONVERTERS else "is no class"
    if _TRANSFORM_KEY.fullmatch(key) and package == "transforms":
        outer, _, half = simple.partition("$")
        if outer in _WHOLE and not half:
            return ""
        if outer in _IN_HALVES:
            return "" if half in ("Key", "Value") else f"{_ABSTRACT}, {outer}$Key and {outer}$Value"
        return "is no class"
    if _PREDICATE_KEY.fullmatch(key) and package in ("transforms", "transforms.predicates"):
        return "" if package == "transforms.predicates" and simple in _PREDICATES else "is no predicate's class"
    return ""
