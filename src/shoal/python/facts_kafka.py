"""The three Python Kafka clients: keyword arguments and dicts as Kafka's own dotted options."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.facts import Block, Usage
from shoal.python.expressions import as_one
from shoal.python.facts import Sheet, text_value
from shoal.python.tree import Call, last_name
from shoal.python.values import ClassValue, Mapping, Object, Sequence, Symbol, names

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


# What hands its arguments to librdkafka as they are called.
_AS_WRITTEN = frozenset({"Consumer", "Producer", "AdminClient"})


def java_key(name: str) -> str:
    """`request_timeout_ms` as `request.timeout.ms`."""
    return name.replace("_", ".")


# What Quix Streams hands on to its clients, which are confluent-kafka's.
_QUIX = (("consumer_extra_config", "consumer"), ("producer_extra_config", "producer"))

_QUIX_OWN = {"broker_address": "bootstrap.servers", "consumer_group": "group.id", "auto_offset_reset": "auto.offset.reset"}


# Bytewax' sources and sinks, with where each takes options of librdkafka; those of its operators have names alone.
_BYTEWAX = {"KafkaSource": ("consumer", 4), "KafkaSink": ("producer", 2), "input": ("consumer", 99), "output": ("producer", 99)}


def collect(sheet: Sheet) -> None:
    module = sheet.module
    for call in module.named("Application", "Quix"):
        if module.qualified(call).startswith("quixstreams."):
            _quix(sheet, call)
    for call in module.named("App"):
        if module.qualified(call) == "faust.App":
            named = call.argument(0, "id")
            if named is not None and (app := text_value(module, module.value(named, call.spot))):
                sheet.out.facts.append(Usage("faust-app", app, module.place(named, call.spot)))
    for call in module.named(*_BYTEWAX):
        if module.qualified(call).startswith("bytewax.connectors.kafka."):
            _bytewax(sheet, call)
    for call in module.named("NewTopic"):
        _topic(sheet, call)
    for call in module.calls:
        if call.name in _CLIENTS or isinstance(call.node.func, (cst.Name, cst.Attribute)):
            if call.name not in _CLIENTS and not call.name.endswith(("Consumer", "Producer", "Client", "__init__")):
                continue
            for obj in (option for option in module.objects(call.node, call.spot) if option.node is call.node):
                library, _, kind = obj.type.partition(".")
                if library in _LIBRARIES and kind in _ROLES and not _to_another_base(module, call, obj):
                    block = _client(sheet, call, _LIBRARIES[library], _ROLES[kind])
                    if block.role == "consumer":
                        _read_topics(sheet, call, obj, block)


# Where each library's NewTopic takes how many replicas, and the topic's own options, by name too.
_TOPICS = {
    "confluent_kafka": ((2, "replication_factor"), (4, "config")),
    "kafka": ((2, "replication_factor"), (4, "topic_configs")),
    "aiokafka": ((2, "replication_factor"), (4, "topic_configs")),
}


def _topic(sheet: Sheet, call: Call) -> None:
    """A topic that a program makes with options or a number of replicas of its own; one that has none takes the brokers'."""
    library = sheet.module.qualified(call).partition(".")[0]
    if library not in _TOPICS:
        return
    replicas, config = (call.argument(position, name) for position, name in _TOPICS[library])
    given = sheet.module.value(config, call.spot) if config is not None else None
    if not isinstance(given, Mapping) and replicas is None:
        return
    hidden = call.has_stars or (config is not None and (not isinstance(given, Mapping) or given.open))
    block = sheet.block("kafka", "topic", sheet.name_span(call), traits=(("library", library),), open=hidden)
    if isinstance(given, Mapping):
        sheet.mapping(block, given)
    if replicas is not None:
        sheet.setting(block, "replicas", replicas, call.spot)


def _to_another_base(module: Any, call: Call, made: Object) -> bool:
    """Whether `super().__init__(…)` may mean a base that stands before the client, and takes arguments of its own."""
    func, cls = call.node.func, call.function.cls if call.function is not None else None
    if cls is None or not (isinstance(func, cst.Attribute) and isinstance(func.value, cst.Call) and last_name(func.value.func) == "super"):
        return False
    for base in cls.bases:
        value = module.value(base, cls.spot)
        if isinstance(value, Symbol):
            return value.name.rpartition(".")[2] != made.call
        if not isinstance(value, ClassValue) or module.method(value.cls, "__init__") is not None:
            return not isinstance(value, ClassValue) or not module.bases(value.cls)
    return False


def _quix(sheet: Sheet, call: Call) -> None:
    given = {arg.keyword.value: arg for arg in call.node.args if arg.keyword is not None}
    if call.node.args and call.node.args[0].keyword is None and not call.node.args[0].star:
        # `Application.Quix(…)`, which Quix Streams had before 3.0, knows its brokers
        given["consumer_group" if call.name == "Quix" else "broker_address"] = call.node.args[0]
    for extra, role in _QUIX:
        value = sheet.module.value(given[extra].value, call.spot) if extra in given else None
        own = [name for name in _QUIX_OWN if name in given] if role == "consumer" else []
        if not (own or isinstance(value, Mapping)):
            continue
        at = sheet.span(given[extra].keyword, call.spot) if isinstance(value, Mapping) else sheet.name_span(call)
        block = sheet.block("kafka", role, at, traits=(("library", "confluent-kafka"), ("class", "Application")), open=True)
        for name in own:
            arg = given[name]
            sheet.setting(block, _QUIX_OWN[name], arg.value, call.spot, sheet.span(arg.keyword or arg.value, call.spot))
        if isinstance(value, Mapping):
            sheet.mapping(block, value)
        if role == "consumer":
            _quix_topics(sheet, call, block)


def _quix_topics(sheet: Sheet, made: Call, block: Block) -> None:
    """The topics that an application makes data frames of: `app.dataframe(app.topic("orders"))`."""
    module = sheet.module
    for call in module.named("dataframe"):
        node = call.argument(0, "topic")
        if node is None or not any(one.node is made.node for one in module.receivers(call)):
            continue
        given = [node]
        if isinstance(node, cst.Name):
            given = [binding.node for binding, _ in module.lookup(node.value, call.spot) if binding.kind == "assign"]
        for one in given:
            if isinstance(one, cst.Call) and last_name(one.func) == "topic" and one.args and one.args[0].star == "":
                name = next((arg for arg in one.args if arg.keyword is not None and arg.keyword.value == "name"), one.args[0])
                if (name.keyword is None or name.keyword.value == "name") and (
                    topic := text_value(module, module.value(name.value, call.spot))
                ):
                    sheet.out.facts.append(Usage("topic-read", topic, module.place(name.value, call.spot), block.id))


def _bytewax(sheet: Sheet, call: Call) -> None:
    """What a program gives to the clients of Bytewax on top of its own options."""
    role, position = _BYTEWAX[call.name]
    given = call.argument(position, "add_config")
    value = sheet.module.value(given, call.spot) if given is not None else None
    if isinstance(value, Mapping):
        traits = (("library", "confluent-kafka"), ("class", f"bytewax.{call.name}"))
        sheet.mapping(sheet.block("kafka", role, sheet.name_span(call), traits=traits, open=True), value)


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
            value = as_one(module, module.value(arg.value, call.spot))
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
    traits: tuple[tuple[str, str], ...] = (("library", library), ("class", made))
    if confluent and _takes_registry_out(module, mappings):
        traits = (*traits, ("registry", "elsewhere"))
    block = sheet.block("kafka", role, sheet.name_span(call), traits=traits, open=hidden)
    for name, key_node, value_node in plain:
        sheet.setting(
            block, name if "." in name or made in _AS_WRITTEN else java_key(name), value_node, call.spot, sheet.span(key_node, call.spot)
        )
    for mapping in mappings:
        sheet.mapping(block, mapping, "", None, None if confluent else java_key)
        if confluent:
            sheet.texts_only(block, mapping)
            for topic in _topic_defaults(module, mapping):
                sheet.mapping(block, topic)
    return block


def _takes_registry_out(module: Any, mappings: list[Mapping]) -> bool:
    """Whether a setting of the schema registry is spoken of elsewhere in the module, too, which may take it out of the dict."""
    keys = {pair.key for mapping in mappings for pair in mapping.pairs if pair.key is not None}
    return any(module.raw.count(key) > 1 for key in keys if key.startswith(("schema.registry.", "basic.auth.")))


def _topic_defaults(module: Any, mapping: Mapping) -> Iterator[Mapping]:
    """librdkafka's options of topics, in the dict of their own where confluent-kafka wanted them before 1.0."""
    for pair in mapping.pairs:
        if pair.key == "default.topic.config":
            inner = module.value(pair.value_node, pair.spot)
            if isinstance(inner, Mapping):
                yield inner


def _read_topics(sheet: Sheet, call: Call, made: Object, block: Block) -> None:
    """The topics that a consumer is told to read where it is made, or by `subscribe`, as far as they are known."""
    module = sheet.module
    given = (
        []
        if block.trait("library") == "confluent-kafka"
        else [(arg.value, call) for arg in call.node.args if not arg.keyword and not arg.star]
    )
    for other in module.named("subscribe"):
        if any(one.node is made.node for one in module.receivers(other)):
            given += [
                (arg.value, other) for arg in other.node.args[:1] if not arg.star and (not arg.keyword or arg.keyword.value == "topics")
            ]
    for node, at in given:
        value = module.value(node, at.spot)
        parts = [(part, value.spot) for part in value.nodes] if isinstance(value, Sequence) else [(node, at.spot)]
        for part, spot in parts:
            if topic := text_value(module, module.value(part, spot)):
                sheet.out.facts.append(Usage("topic-read", topic, module.place(part, spot), block.id))
