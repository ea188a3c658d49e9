"""The three Python Kafka clients: keyword arguments and dicts as Kafka's own dotted options."""

from __future__ import annotations

from typing import Any

import libcst as cst

from shoal.facts import Block
from shoal.python.facts import Sheet
from shoal.python.tree import Call
from shoal.python.values import Mapping, Object, names, options

_ROLES = {"Consumer": "consumer", "Producer": "producer", "Admin": "admin", "AsyncConsumer": "consumer", "AsyncProducer": "producer"}
_LIBRARIES = {"kafka": "kafka-python", "aiokafka": "aiokafka", "confluent": "confluent-kafka"}
_CLIENTS = names(
    "KafkaConsumer KafkaProducer KafkaAdminClient AIOKafkaConsumer AIOKafkaProducer AIOKafkaAdminClient Consumer Producer DeserializingConsumer "
    "SerializingProducer AvroProducer AvroConsumer AdminClient AIOProducer AIOConsumer"
)
# Arguments of the Python clients that are none of Kafka's options.
_OWN = frozenset(
    {
        "loop",
        "on_delivery",
        "error_cb",
        "stats_cb",
        "logger",
        "key_deserializer",
        "value_deserializer",
        "key_serializer",
        "value_serializer",
    }
)


def java_key(name: str) -> str:
    """`request_timeout_ms` as `request.timeout.ms`."""
    return name.replace("_", ".")


def collect(sheet: Sheet) -> None:
    module = sheet.module
    for call in module.calls:
        if call.name in _CLIENTS or isinstance(call.node.func, (cst.Name, cst.Attribute)):
            if call.name not in _CLIENTS and not call.name.endswith(("Consumer", "Producer", "Client")):
                continue
            for obj in (option for option in options(module.result(call)) if isinstance(option, Object) and option.node is call.node):
                library, _, kind = obj.type.partition(".")
                if library in _LIBRARIES and kind in _ROLES:
                    _client(sheet, call, _LIBRARIES[library], _ROLES[kind])


def _client(sheet: Sheet, call: Call, library: str, role: str) -> Block:
    module = sheet.module
    mappings: list[Mapping] = []
    hidden = False
    plain: list[tuple[str, Any, Any]] = []
    confluent = library == "confluent-kafka"
    for arg in call.node.args:
        if arg.star == "**" or (
            confluent
            and arg.star == ""
            and (arg.keyword is None or arg.keyword.value in ("config", "conf", "producer_conf", "consumer_conf"))
        ):
            value = module.value(arg.value, call.spot)
            if isinstance(value, Mapping):
                mappings.append(value)
                hidden = hidden or value.open
            elif confluent and arg.star == "" and arg.keyword is None and arg is not call.node.args[0]:
                continue
            else:
                hidden = True
        elif arg.star == "*":
            hidden = hidden or confluent
        elif arg.keyword is not None and arg.keyword.value not in _OWN:
            plain.append((arg.keyword.value, arg.keyword, arg.value))
    made = module.qualified(call).rpartition(".")[2] or call.name
    block = sheet.block("kafka", role, sheet.name_span(call), traits=(("library", library), ("class", made)), open=hidden)
    for name, key_node, value_node in plain:
        sheet.setting(block, name if "." in name else java_key(name), value_node, call.spot, sheet.span(key_node, call.spot))
    for mapping in mappings:
        sheet.mapping(block, mapping, "", None, None if confluent else java_key)
    return block
