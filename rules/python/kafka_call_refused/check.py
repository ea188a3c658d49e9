"""What Kafka's clients for Python refuse at once. Tried on kafka-python 2.0.2, 2.2.15 and 3.0.12, confluent-kafka 2.16.1 and aiokafka 0.14.0."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python import clients
from shoal.python.tree import Call, descend, dotted, evaluated, last_name
from shoal.python.values import FunctionValue, Known, Mapping, Object, Partial, Sequence, options

# Methods of a message of confluent-kafka, which are plain fields of a record elsewhere.
_FIELDS = frozenset({"value", "key", "topic", "partition", "offset", "error", "headers", "timestamp"})
_SEEKS = {"kafka.Consumer": "a ValueError (an AssertionError before kafka-python 3)", "confluent.Consumer": "a KafkaException"}
_ASSIGNS = frozenset({"assign", "incremental_assign"})
_GROUPLESS = frozenset({"kafka.Consumer", "aiokafka.Consumer"})
_SETTINGS = frozenset({"confluent.Consumer", "confluent.Producer"})
_TRANSACTIONAL = frozenset({"confluent.Producer", "kafka.Producer"})
_ASYNC = frozenset({"aiokafka.Consumer", "aiokafka.Producer"})
_TEXTS = (cst.SimpleString, cst.FormattedString, cst.ConcatenatedString)
_NUMBERS = (cst.Integer, cst.Float)
# Functions that give a text; those of the same name of orjson, msgpack and pickle give bytes.
_GIVE_TEXT = frozenset({"json.dumps", "simplejson.dumps", "str"})


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for at, why, spot in [
        *_settings(module),
        *_registries(module),
        *_subscriptions(module),
        *_seeks(module),
        *_seeks_on_assignment(module),
        *_commits(module),
        *_without_loop(module),
        *_records(module),
        *_values(module),
        *_loops(module),
        *_transactions(module),
    ]:
        if not spot.expects_error():
            yield context.finding(why, module.place(at, spot))


def _settings(module: Any) -> Iterator[tuple[Any, str, Any]]:
    """Clients of confluent-kafka that are given a topic, or brokers, as those of kafka-python are."""
    for call, made in clients.made(module, _SETTINGS):
        first = call.node.args[0] if call.node.args else None
        if first is None or first.keyword is not None or first.star or call.name == "__init__":
            continue
        if isinstance(first.value, _TEXTS) or isinstance(module.constant(first.value, call.spot), str):
            yield first.value, f"this ends with a TypeError: {made.call} of confluent-kafka takes a dict of settings", call.spot


def _registries(module: Any) -> Iterator[tuple[Any, str, Any]]:
    """Avro's clients of confluent-kafka that are given a client of the schema registry and its address, and settings that such a client does not have."""
    for call in module.named("AvroProducer", "AvroConsumer"):
        registry = call.argument(3 if call.name == "AvroProducer" else 1, "schema_registry")
        given = call.argument(0, "config")
        settings = module.value(given, call.spot) if given is not None else None
        if registry is None or module.qualified(call) != f"confluent_kafka.avro.{call.name}" or dotted(registry) == "None":
            continue
        if isinstance(settings, Mapping) and not settings.open and settings.get("schema.registry.url") is not None:
            yield (
                registry,
                f"this ends with a ValueError: {call.name} takes a client of the schema registry or schema.registry.url, not both",
                call.spot,
            )
    for call in module.named("SchemaRegistryClient", "CachedSchemaRegistryClient"):
        given = call.argument(0, "conf")
        settings = module.value(given, call.spot) if given is not None else None
        if not module.qualified(call).startswith("confluent_kafka.") or not isinstance(settings, Mapping) or settings.open:
            continue
        told = "basic.auth.credentials.source" in module.raw
        for pair in settings.pairs:
            key = pair.key or ""
            if key.startswith("schema.registry."):
                yield pair.key_node, f"this ends with a ValueError: {call.name} has {key[16:]} in place of {key}", pair.spot
            elif key == "basic.auth.user.info" and call.name == "CachedSchemaRegistryClient" and not told:
                why = "this ends with a ValueError: without basic.auth.credentials.source=USER_INFO nothing takes basic.auth.user.info"
                yield pair.key_node, why, pair.spot


def _subscriptions(module: Any) -> Iterator[tuple[Any, str, Any]]:
    for call in module.named("subscribe"):
        kind, given = module.receiver_type(call), call.argument(0, "topics")
        if given is None or kind not in ("confluent.Consumer", "kafka.Consumer"):
            continue
        values = options(module.value(given, call.spot))
        text = isinstance(given, _TEXTS) or all(
            (isinstance(value, Known) and isinstance(value.value, str)) or (isinstance(value, Partial) and isinstance(value.node, _TEXTS))
            for value in values
        )
        if kind == "confluent.Consumer" and (text or isinstance(given, (cst.Tuple, cst.Set))):
            yield given, "subscribe() ends with a TypeError: confluent-kafka takes a list of topics", call.spot
        elif kind == "kafka.Consumer" and text:
            yield given, "subscribe() ends with a TypeError from kafka-python 2.1.3 on: give it a list", call.spot
    for call in module.named("KafkaConsumer"):
        first = call.argument(0)
        made = module.result(call)
        if isinstance(first, (cst.List, cst.Set)) and isinstance(made, Object) and made.type == "kafka.Consumer":
            yield first, "this ends with a TypeError: KafkaConsumer takes topics one by one, `*topics` for those of a list", call.spot


def _without_loop(module: Any) -> Iterator[tuple[Any, str, Any]]:
    """Clients of aiokafka that a script makes before `asyncio.run()`. Where nothing is run, the module may be imported in a running loop."""
    runs = [call for call in module.named("run", "run_until_complete") if call.function is None]
    own = next((call for call in runs if module.qualified(call) == "asyncio.run"), None)
    if own is None and not any(call.name == "run_until_complete" for call in runs):
        return
    for call, made in clients.made(module, _ASYNC):
        if call.has_stars or call.name == "__init__" or not _outside(module, call, 3):
            continue
        loop = call.argument(99, "loop")
        if loop is None:
            yield (
                call.node.func,
                f"this ends with a RuntimeError: no event loop runs yet where {made.call} is made; make it in a coroutine",
                call.spot,
            )
        elif own is not None and _other_loop(module, loop, call.spot):
            yield (
                loop,
                "start() ends with an AssertionError: asyncio.run() makes a loop of its own; make the client in a coroutine, without loop",
                call.spot,
            )


def _outside(module: Any, call: Call, levels: int) -> bool:
    """Whether a call is made while the module is run, directly or by a function that is no coroutine."""
    if call.function is None:
        return True
    if call.function.is_async or call.function.yields or call.function.is_lambda or not levels:
        return False
    return any(_outside(module, site, levels - 1) for site in module.call_sites(call.function))


def _other_loop(module: Any, node: Any, spot: Any) -> bool:
    """Whether a loop was got or made outside of any coroutine."""
    if isinstance(node, cst.Name):
        found = [binding for binding, _ in module.lookup(node.value, spot)]
        return (
            len(found) == 1
            and found[0].kind == "assign"
            and found[0].spot.function is None
            and _other_loop(module, found[0].node, found[0].spot)
        )
    call = next((one for one in module.named("get_event_loop", "new_event_loop") if one.node is node), None)
    return call is not None and call.function is None and module.qualified(call).startswith("asyncio.")


def _seeks(module: Any) -> Iterator[tuple[Any, str, Any]]:
    """`seek()` of a member of a group that has not been polled: partitions are assigned in poll(). aiokafka waits for them in start()."""
    for call in module.named("seek", "seek_to_beginning", "seek_to_end"):
        found = module.sure_receivers(call)
        made = found[0] if len(found) == 1 and isinstance(found[0].node, cst.Call) else None
        if made is None or made.type not in _SEEKS or made.spot.function is not call.function:
            continue
        maker = Call(made.node, made.call, made.spot, None, "")
        group = maker.argument(99, "group_id")
        if made.type == "kafka.Consumer" and (group is None or dotted(group) == "None"):
            continue  # that has all partitions as soon as it knows of them
        name = dotted(call.receiver_node)
        first, last = made.spot.statement, call.spot.statement
        if first >= last or any(_mentioned(statement.node, name) for statement in module.tree.statements[first + 1 : last]):
            continue
        if not any(first < other.spot.statement < last and module.target(other) is not None for other in module.calls):
            why = f"{call.name}() ends with {_SEEKS[made.type]}: no partition is assigned before the consumer is polled; seek in on_assign, or assign() the partitions"
            yield call.node.func, why, call.spot


def _seeks_on_assignment(module: Any) -> Iterator[tuple[Any, str, Any]]:
    """`seek()` in `on_assign` of confluent-kafka, above the `assign()` or without one: where there is a callback the partitions are its to assign."""
    for subscribed in module.named("subscribe"):
        node = subscribed.argument(1, "on_assign")
        if node is None or module.receiver_type(subscribed) != "confluent.Consumer":
            continue
        for value in options(module.value(node, subscribed.spot)):
            function = value.function if isinstance(value, FunctionValue) else None
            if function is None:
                continue
            given = {param.name for param in function.params}
            seen = [call for call in function.calls if call.name in _ASSIGNS]
            for call in function.calls:
                first = call.name == "seek" and all(call.spot.statement < other.spot.statement for other in seen)
                if not first or call.spot.guarded or _helped(module, function, call):
                    continue
                if dotted(call.receiver_node) in given or module.receiver_type(call) == "confluent.Consumer":
                    why = "seek() ends with a KafkaException (a KafkaError that no `except` catches in 2.16), which poll() raises: in on_assign no partition is assigned yet; set its offset, and give it to assign()"
                    yield call.node.func, why, call.spot


def _helped(module: Any, function: Any, call: Call) -> bool:
    """Whether a helper of the module, which may assign the partitions, runs above."""
    return any(other.spot.statement <= call.spot.statement and module.target(other) is not None for other in function.calls)


def _commits(module: Any) -> Iterator[tuple[Any, str, Any]]:
    """Commits of consumers without a group; confluent-kafka makes none without one."""
    for made, consumer in clients.made(module, _GROUPLESS):
        group = made.argument(99, "group_id")
        if made.has_stars or made.name == "__init__" or (group is not None and dotted(group) != "None"):
            continue
        error = (
            "IllegalOperation" if consumer.type == "aiokafka.Consumer" else "IllegalStateError (an AssertionError before kafka-python 3)"
        )
        for call in clients.uses(module, consumer, "commit", "commit_async", "committed"):
            if len(module.receivers(call)) > 1:
                continue
            why = f"{call.name}() ends with an {error}: the consumer has no group_id, and offsets are a group's"
            yield call.node.func, why, call.spot


def _mentioned(statement: Any, name: str) -> bool:
    """Whether more is done with a consumer than to subscribe it."""
    subscribed = {
        id(node.func.value)
        for node in evaluated(statement)
        if isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute) and node.func.attr.value == "subscribe"
    }
    return any(
        isinstance(node, (cst.Name, cst.Attribute)) and dotted(node) == name and id(node) not in subscribed for node in evaluated(statement)
    )


def _called_later(module: Any, method: Any) -> bool:
    """Whether a method is handed on with others by their own names, `Kept(key=message.key, value=message.value)`, in a module that calls one of them on what it does not know."""
    handed = next((call for call in module.calls if any(arg.value is method for arg in call.node.args)), None)
    names = {
        arg.keyword.value
        for arg in (handed.node.args if handed is not None else ())
        if arg.keyword is not None and isinstance(arg.value, cst.Attribute) and arg.value.attr.value == arg.keyword.value
    }
    return method.attr.value in names and any(not module.receiver_type(call) for call in module.named(*names) if not call.node.args)


def _records(module: Any) -> Iterator[tuple[Any, str, Any]]:
    """Methods of messages that are not called, and calls on a list of messages."""
    # code for messages of several libraries asks which of the two it has
    asked = {dotted(call.node.args[0].value) for call in module.named("callable") if call.node.args}
    for name in _FIELDS:
        for node, spot in module.tree.attributes.get(name, ()):
            if module.type_of(node.value, spot) == "confluent.Message" and dotted(node) not in asked and not _called_later(module, node):
                what = "is true for every message" if name == "error" else "is the method and not what it gives"
                yield node.attr, f"{name} without brackets {what}: a message of confluent-kafka has {name}()", spot
    for call in module.named(*_FIELDS):
        if module.receiver_type(call) == "confluent.Messages":
            yield (
                call.node.func,
                f"this ends with an AttributeError: consume() gives a list of messages, which has no {call.name}()",
                call.spot,
            )


def _values(module: Any) -> Iterator[tuple[Any, str, Any]]:
    """What is sent, where nothing makes bytes of it; and serializers that make a text."""
    for call in module.named("produce"):
        made = module.sure_receivers(call)
        if made and all(obj.type == "confluent.Producer" and obj.call == "Producer" for obj in made):
            for node, name in ((call.argument(1, "value"), "value"), (call.argument(2, "key"), "key")):
                if node is not None and (what := _no_text(module, node, call)):
                    yield (
                        node,
                        f"produce() ends with a TypeError: the {name} is {what}, and confluent-kafka takes texts and bytes",
                        call.spot,
                    )
    for call in module.named("send", "send_and_wait"):
        made = module.sure_receivers(call)
        if not made or any(obj.type not in ("kafka.Producer", "aiokafka.Producer") or not isinstance(obj.node, cst.Call) for obj in made):
            continue
        makers = [Call(obj.node, obj.call, obj.spot, None, "") for obj in made]
        for node, name in ((call.argument(1, "value"), "value"), (call.argument(2, "key"), "key")):
            if node is None or any(maker.has_stars or maker.has_keyword(f"{name}_serializer") for maker in makers):
                continue
            what = _no_text(module, node, call) or ("a text" if _is_text(node) else "")
            if what:
                yield (
                    node,
                    f"{call.name}() refuses the record: its {name} is {what}, not bytes, and the producer has no {name}_serializer",
                    call.spot,
                )
    for call in module.named("KafkaProducer", "AIOKafkaProducer"):
        for name in ("value_serializer", "key_serializer"):
            node = call.argument(99, name)
            body = node.body if isinstance(node, cst.Lambda) else None
            if node is not None and (dotted(node) in _GIVE_TEXT or (body is not None and _is_text(body))):
                yield node, f"every record is refused: this {name} gives a text, and the producer takes bytes; add .encode()", call.spot


def _no_text(module: Any, node: Any, call: Call) -> str:
    if isinstance(node, _NUMBERS):
        return "a number"
    value = module.value(node, call.spot)
    return (
        "a dict"
        if isinstance(value, Mapping)
        else "a list"
        if isinstance(value, Sequence) and isinstance(node, (cst.List, cst.Name))
        else ""
    )


def _is_text(node: Any) -> bool:
    if isinstance(node, cst.SimpleString):
        return "b" not in node.prefix.lower()
    return isinstance(node, cst.FormattedString) or (isinstance(node, cst.Call) and dotted(node.func) in _GIVE_TEXT)


def _loops(module: Any) -> Iterator[tuple[Any, str, Any]]:
    """Records of kafka-python and aiokafka, whose fields are no methods, and loops over what cannot be iterated so."""
    for statement in module.tree.of_kind(cst.For):
        loop = statement.node
        if not isinstance(loop.target, cst.Name):
            continue
        kind, waits = module.type_of(loop.iter, statement.spot), loop.asynchronous is not None
        if kind == "aiokafka.Consumer" and not waits:
            yield loop.iter, "this ends with a TypeError: aiokafka's consumer is iterated with `async for`", statement.spot
        polled = (
            isinstance(loop.iter, cst.Call)
            and last_name(loop.iter.func) == "poll"
            and _on(module, loop.iter, statement.spot) == "kafka.Consumer"
        )
        if not polled and not (kind == "kafka.Consumer" and not waits) and not (kind == "aiokafka.Consumer" and waits):
            continue
        if any(isinstance(node, cst.AssignTarget) and _named(node.target, loop.target) for node in descend(loop.body)):
            continue  # it is something else by then
        for node in descend(loop.body):
            if (
                polled
                and isinstance(node, cst.Attribute)
                and node.attr.value in ("value", "key", "offset")
                and _named(node.value, loop.target)
            ):
                yield (
                    node.attr,
                    "this ends with an AttributeError: poll() gives a dict of records by partition, and its loop is over the partitions",
                    statement.spot,
                )
                break
            func = node.func if isinstance(node, cst.Call) else None
            if (
                not polled
                and isinstance(func, cst.Attribute)
                and func.attr.value in ("value", "key", "topic", "offset", "partition")
                and _named(func.value, loop.target)
            ):
                yield (
                    func.attr,
                    f"this ends with a TypeError: {func.attr.value} is a field of this record, not a method (confluent-kafka's messages have methods)",
                    statement.spot,
                )
                break


def _transactions(module: Any) -> Iterator[tuple[Any, str, Any]]:
    """Transactions of producers that nothing makes ready for them, or that have no id for them."""
    for maker, made in clients.made(module, _TRANSACTIONAL):
        begun = clients.uses(module, made, "begin_transaction")
        ready = clients.uses(module, made, "init_transactions")
        settings: Any = module.value(maker.node.args[0].value, maker.spot) if len(maker.node.args) == 1 and not maker.has_stars else None
        seen = made.type == "confluent.Producer" and isinstance(settings, Mapping) and not settings.open and maker.name != "__init__"
        if seen and (begun or ready) and settings.get("transactional.id") is None and all(pair.key for pair in settings.pairs):
            call = (ready or begun)[0]
            yield call.node.func, f"{call.name}() ends with a KafkaException: the producer has no transactional.id", call.spot
            continue
        if begun and not module.named("init_transactions") and not _given_away(module, made):
            error = "a KafkaException" if made.type == "confluent.Producer" else "a KafkaError"
            why = f"begin_transaction() ends with {error}: a producer is made ready for transactions by init_transactions(), once, and nothing calls it"
            yield begun[0].node.func, why, begun[0].spot


def _given_away(module: Any, made: Object) -> bool:
    """Whether a client is handed to a function of another module, which may do what is not done here."""
    return any(
        module.target(call) is None
        and any(
            isinstance(one, Object) and one.node is made.node
            for arg in call.node.args
            for one in options(module.value(arg.value, call.spot))
        )
        for call in module.calls
    )


def _on(module: Any, node: cst.Call, spot: Any) -> str:
    return str(module.type_of(node.func.value, spot)) if isinstance(node.func, cst.Attribute) else ""


def _named(node: Any, target: cst.Name) -> bool:
    return isinstance(node, cst.Name) and node.value == target.value
