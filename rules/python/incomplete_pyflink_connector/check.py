"""Kafka's builders look at what they were given when they build, and `from_source` has no name for its source by itself.

Each of these was tried on PyFlink 1.20.5 with flink-sql-connector-kafka 3.2.0-1.19: `build()` raises a Py4JJavaError without what stands in `_NEEDS`, and
does not without a group (unless it starts at the group's offsets), with a topic pattern, with partitions, with a topic selector, or with
`bootstrap.servers` given as a property.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.pyflink_builders import given, schema
from shoal.python.tree import Call
from shoal.python.values import Mapping

_BROKERS = ("brokers (set_bootstrap_servers)", ("set_bootstrap_servers",), "bootstrap.servers")
# What each builder needs: what it is, the methods one of which gives it, and the Kafka property that does as well.
_NEEDS: dict[str, tuple[tuple[str, tuple[str, ...], str], ...]] = {
    "flink.KafkaSourceBuilder": (
        _BROKERS,
        ("topics (set_topics)", ("set_topics", "set_topic_pattern", "set_partitions"), ""),
        ("a deserializer (set_value_only_deserializer)", ("set_value_only_deserializer", "set_deserializer"), ""),
    ),
    "flink.KafkaSinkBuilder": (_BROKERS, ("a serializer (set_record_serializer)", ("set_record_serializer",), "")),
    "flink.SerializerBuilder": (
        ("a topic (set_topic)", ("set_topic", "set_topic_selector"), ""),
        ("a schema for values (set_value_serialization_schema)", ("set_value_serialization_schema",), ""),
    ),
}
_GROUP = ("a group (set_group_id), whose offsets it starts at", ("set_group_id",), "group.id")
_PROPERTIES = ("set_properties", "set_kafka_producer_config")
_SHOWN = {
    "flink.KafkaSourceBuilder": "this KafkaSource",
    "flink.KafkaSinkBuilder": "this KafkaSink",
    "flink.SerializerBuilder": "this KafkaRecordSerializationSchema",
}


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for call in module.named("build"):
        found = module.sure_receivers(call)
        kinds = {obj.type for obj in found}
        kind = kinds.pop() if len(kinds) == 1 and len({id(obj.root) for obj in found}) == 1 else ""
        calls = given(module, found[0].root) if kind in _NEEDS else None
        if calls is None:
            continue
        needs = _NEEDS[kind]
        if kind == "flink.KafkaSourceBuilder" and _starts_at_group(module, calls):
            needs = (*needs, _GROUP)
        missing = [what for what, methods, key in needs if not _has(module, calls, methods, key)]
        if missing:
            message = f"the program stops here with an error of Java's: {_SHOWN[kind]} has not been given {' and '.join(missing)}"
            yield context.finding(message, module.call_place(call), covers=[module.covers(call)])
    for call in module.named("from_source"):
        kinds = {obj.type for obj in module.sure_receivers(call)}
        if kinds == {"flink.Environment"} and not call.has_stars and call.argument(0, "source") is not None:
            given_name = call.argument(2, "source_name")
            if given_name is None:
                message = "the program stops here with a TypeError: from_source has no default for source_name, the third argument"
                yield context.finding(message, module.call_place(call), covers=[module.covers(call)])


def _has(module: Any, calls: dict[str, list[Call]], methods: tuple[str, ...], key: str) -> bool:
    """Whether it is given, or may be: by a method, on any path, on what may be this builder, or as a property of Kafka's."""
    if any(name in calls or f"?{name}" in calls for name in methods):
        return True
    if not key:
        return False
    for call in calls.get("set_property", ()):
        name = module.string(call.argument(0, "key"), call.spot)
        if not name or name == key:
            return True
    if any(f"?{name}" in calls for name in ("set_property", *_PROPERTIES)):
        return True
    for call in (one for name in _PROPERTIES for one in calls.get(name, ())):
        value = module.value(call.node.args[0].value, call.spot) if call.node.args else None
        if not isinstance(value, Mapping) or value.open or any(pair.key in (None, key) for pair in value.pairs):
            return True
    return False


def _starts_at_group(module: Any, calls: dict[str, list[Call]]) -> bool:
    found = calls.get("set_starting_offsets", [])
    return len(found) == 1 and schema(module, found[0].argument(0, "starting_offsets_initializer"), found[0]).endswith(
        "KafkaOffsetsInitializer.committed_offsets"
    )
