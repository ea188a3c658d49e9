"""`key_by(lambda x: 0)`, Bytewax's `key_on`, `Map(lambda x: ("all", x))` before a stateful DoFn, and records of Kafka or Kinesis that all get one key, from clients or from Spark."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python import clients, dofns
from shoal.python.frame import SAME_COLUMNS, Frame
from shoal.python.tree import Call, descend, last_name
from shoal.python.values import Known, Symbol, names
from shoal.templates import beam

# What gathers the records of a key; a combiner adds up on every worker first.
_GATHERS = ("GroupByKey", "GroupIntoBatches", "BatchElements")
_KEY_BY = "every record gets the same key: all of them go to one subtask, whatever the parallelism; key by something of the record, or add up under many keys first"
_KEY_ON = "every item gets the same key: one worker does all that comes behind this, however many there are; key by something of the item"
# What gives another value each time that it is called.
_FRESH = names("uuid1 uuid4 now utcnow time time_ns random randint getrandbits token_hex token_bytes token_urlsafe urandom choice")


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for call in module.named("key_by"):
        if call.node.args and any(obj.type.startswith("flink.") for obj in module.receivers(call)):
            for function in module.function_of(call.node.args[0].value, call.spot):
                if function.returns and all(_constant(module, value, spot) for value, spot in function.returns):
                    yield context.finding(_KEY_BY, module.call_place(call), covers=[module.covers(call)])
    for call in module.named("key_on") if "kafka" in module.raw.lower() else ():  # not where a list is read, as tests do
        if len(call.node.args) > 2 and module.qualified(call).startswith("bytewax.operators."):
            for function in module.function_of(call.node.args[2].value, call.spot):
                if function.returns and all(_constant(module, value, spot) for value, spot in function.returns):
                    yield context.finding(_KEY_ON, module.call_place(call), covers=[module.covers(call)])
    if beam.unbounded(job, module) is not False:
        yield from _beam(context, module)
    yield from _kafka(context, module)
    yield from _made_once(context, module)
    yield from _kinesis(context, module)
    yield from _spark(context, module)


def _spark(context: Context, module: Any) -> Iterator[Finding]:
    """Streams that Spark writes to Kafka, whose column `key` is one text for all rows."""
    said: set[int] = set()
    for sink in module.frames.sinks():
        found = [_key_column(module, frame) for frame in sink.frames] if sink.format == "kafka" and not sink.ends else []
        if not found or (first := found[0]) is None or None in found or id(first[0]) in said:
            continue
        node, spot = first
        said.add(id(node))
        message = "every row gets this key: all go to one partition and one consumer, and of a compacted topic one record is left"
        related = [(module.call_place(sink.calls["format"]), "is sent here")]
        yield context.finding(message, module.place(node, spot), related, confidence="low")


def _key_column(module: Any, frame: Frame) -> tuple[Any, Any] | None:
    """The text that makes the column `key` of a frame; None where anything else does, or nothing."""
    for step in frame.line():
        given = step.arguments
        if given is None:
            return None
        made = None
        if step.op == "withColumn" and module.constant(step.argument(0, "colName"), step.spot) == "key":
            made = step.argument(1, "col")
        elif step.op == "select":
            named: list[Any] = [
                arg.value for arg in given if isinstance(arg.value, cst.Call) and last_name(arg.value.func) in ("alias", "name")
            ]
            made = next((one.func.value for one in named if one.args and module.constant(one.args[0].value, step.spot) == "key"), None)
            if made is None or not isinstance(made, cst.Call):
                return None
        elif step.op not in (*SAME_COLUMNS, "withColumn", "limit"):
            return None
        if made is None:
            continue
        calls = [one for one in descend(made) if isinstance(one, cst.Call)]
        texts = [one.args[0].value for one in calls if last_name(one.func) == "lit" and one.args]
        if any(last_name(one.func) in ("col", "column", "expr") for one in calls) or not texts:
            if step.op == "withColumn" and _of_key_alone(module, calls, step.spot):
                continue  # the same in another form: encoded, cast
            return None
        fixed = [module.constant(one, step.spot) for one in texts]
        plain = all(last_name(one.func) in ("lit", "cast", "encode", "decode", "astype") for one in calls)
        return (texts[0], step.spot) if plain and len(texts) == 1 and isinstance(fixed[0], (str, bytes)) and fixed[0] else None
    return None


def _of_key_alone(module: Any, calls: list[Any], spot: Any) -> bool:
    """Whether all columns that an expression is made of are the key itself, which nothing but a cast or an encoding changes."""
    columns = [one for one in calls if last_name(one.func) in ("col", "column") and one.args]
    plain = all(last_name(one.func) in ("col", "column", "cast", "encode", "decode", "astype") for one in calls)
    return plain and bool(columns) and all(module.constant(one.args[0].value, spot) == "key" for one in columns)


def _beam(context: Context, module: Any) -> Iterator[Finding]:
    for call in module.named("ParDo", *_GATHERS):
        if not module.qualified(call).startswith("apache_beam."):
            continue
        cls = module.class_of(call.node.args[0].value, call.spot) if call.name == "ParDo" and call.node.args else None
        # of a class elsewhere nothing is known, but without state nobody would make up a key for it
        if cls is not None and not dofns.cells(module, cls, *dofns.STATES):
            continue
        before = dofns.key_before(module, call)
        if before and all(_constant(module, node, spot) for node, spot in before):
            node, spot = before[0]
            what = cls.name if cls is not None else "what follows" if call.name == "ParDo" else call.name
            message = f"every record has this key, so {what} works in one thread of one worker, however many there are: key by something of the record"
            yield context.finding(message, module.place(node, spot), [(module.call_place(call), "gathers the records of a key")])


def _kafka(context: Context, module: Any) -> Iterator[Finding]:
    """A record alone may have whatever key; what is sent again and again shares a partition, and of a compacted topic one record is left."""
    for _, producer in clients.made(module, clients.PRODUCERS):
        sends = clients.uses(module, producer, *clients.SENDS[producer.type])
        for call in sends:
            node, alone = call.argument(*clients.KEY), len(sends) == 1
            if alone and _again(module, call) and _fixed(module, node, call):
                message = (
                    "every record gets this key: all go to one partition and one consumer, and of a compacted topic one record is left"
                )
                yield context.finding(message, module.place(node, call.spot), covers=[module.covers(call)])


def _made_once(context: Context, module: Any) -> Iterator[Finding]:
    """Keys that a parameter's default makes: once, when the function is defined, and not for each record."""
    for call in module.named("send", "produce", "send_and_wait"):
        node: Any = call.argument(*clients.KEY) if module.receiver_type(call) in clients.PRODUCERS else None
        function = call.function
        param = function.param(node.value) if function is not None and isinstance(node, cst.Name) else None
        if param is None or param.default is None or any(binding.kind != "param" for binding, _ in module.lookup(node.value, call.spot)):
            continue
        made = any(isinstance(part, cst.Call) and last_name(part.func) in _FRESH for part in (param.default, *descend(param.default)))
        sites = module.call_sites(function)
        if made and not (sites and all(module.given(site, function, param) is not None for site in sites)):
            message = "this default is made once, when the function is defined: every record that is sent without a key of its own gets the same one (None as the default, and a key made inside)"
            yield context.finding(
                message, module.place(param.default, function.spot), [(module.call_place(call), "the key of a record")], confidence="medium"
            )


def _kinesis(context: Context, module: Any) -> Iterator[Finding]:
    """One record after the other (`put_record`), or the records of a batch, which a comprehension makes."""
    for call in module.named("put_record", "put_records"):
        if not call.has_keyword("StreamName", "StreamARN") or call.receiver_node is None:
            continue
        node = call.argument(99, "PartitionKey")
        if call.name == "put_records":
            records = call.argument(99, "Records")
            made = records.elt if isinstance(records, cst.ListComp) else None
            node = next((one.value for one in made.elements if _named(one, "PartitionKey")), None) if isinstance(made, cst.Dict) else None
        if node is not None and (call.name == "put_records" or _again(module, call)) and _fixed(module, node, call):
            message = (
                "every record gets this partition key: all go to one shard, which takes 1 MB and 1,000 records a second, and to one reader"
            )
            yield context.finding(message, module.place(node, call.spot), covers=[module.covers(call)])


def _named(element: Any, key: str) -> bool:
    return isinstance(element, cst.DictElement) and isinstance(element.key, cst.SimpleString) and element.key.raw_value == key


def _fixed(module: Any, node: Any, call: Call) -> bool:
    """Whether a key is surely the same text each time."""
    value = module.value(node, call.spot) if node is not None else None
    fixed = isinstance(value, Known) and value.sure == "sure" and isinstance(value.value, (str, bytes)) and bool(value.value)
    return fixed and not _one_of_some(module, node, call)


def _again(module: Any, call: Call) -> bool:
    """Whether a call is made again and again: in a loop, by a function that one calls, or that an executor is given for each of some records."""
    if call.spot.in_loop() or call.function is None:
        return call.spot.in_loop()
    given = [
        one
        for one in module.named("submit", "map")
        if one.node.args and call.function in module.function_of(one.node.args[0].value, one.spot)
    ]
    return any(site.spot.in_loop() for site in module.call_sites(call.function)) or any(
        one.name == "map" or one.spot.in_loop() for one in given
    )


def _one_of_some(module: Any, node: Any, call: Call) -> bool:
    """Whether a loop gives the name its value: of a list that holds one today, and may hold more tomorrow."""
    return isinstance(node, cst.Name) and any(binding.kind == "for" for binding, _ in module.lookup(node.value, call.spot))


def _constant(module: Any, node: Any, spot: Any) -> bool:
    value = module.value(node, spot) if node is not None else None
    return (isinstance(value, Known) and value.sure == "sure") or (isinstance(value, Symbol) and value.last.isupper())
