"""Unguarded parsing in a deserializer or in the loop of a consumer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python import clients, elsewhere
from shoal.python.flow import caught
from shoal.python.parses import NAMES, PARSERS, of_its_own, parses
from shoal.python.tree import Call
from shoal.python.values import Mapping, Symbol

_CATCHES = frozenset({"Exception", "BaseException", "ValueError", "UnicodeError", "UnicodeDecodeError", "KeyError", "TypeError"})

_THEN = "every restart meets it again, or, where close() commits on the way out, nobody ever reads it; put it aside and go on"


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    reported: set[int] = set()
    makers = {id(consumer.node): call for call, consumer in clients.made(module, clients.CONSUMERS)}
    for consumer in clients.held(module, clients.READERS):
        loops = clients.record_loops(module, consumer)
        maker = makers.get(id(consumer.node))
        parse = (_deserializer(module, maker) if maker is not None else None) or next(
            (
                other
                for other in module.named(*NAMES)
                if clients.in_loops(other.spot, loops) and parses(module, other) and not _caught(module, other, loops)
            ),
            None,
        )
        parse = (
            parse or _in_helper(module, loops) or _registered(module, loops) or (_polled(module, maker, consumer, loops) if maker else None)
        )
        parser = _given_parser(module, maker) if maker is not None and parse is None else None
        at = parse.node if parse is not None else parser
        if at is None:
            yield from _in_other_module(context, module, consumer, maker, loops, reported)
        if at is None or id(at) in reported:
            continue
        reported.add(id(at))
        message = f"a record that does not parse raises here and ends the consumer: {_THEN}"
        if parse is not None:
            yield context.finding(message, module.call_place(parse), covers=[module.covers(parse)])
        elif maker is not None:
            yield context.finding(message, module.place(parser, maker.spot), covers=[module.covers(maker)])


def _registered(module: Any, loops: set[int]) -> Call | None:
    """The call of a deserializer of Confluent's registry: one record of another schema, and it raises SerializationError."""
    if not module.named("AvroDeserializer", "JSONDeserializer", "ProtobufDeserializer"):
        return None
    for call in module.tree.calls_in(loops):
        if _caught(module, call, loops, "KafkaException"):
            continue
        if any(obj.type == "confluent.Deserializer" for obj in module.objects(call.node.func, call.spot)):
            return call  # type: ignore[no-any-return]
    return None


def _polled(module: Any, maker: Call, consumer: Any, loops: set[int]) -> Call | None:
    """The poll of a DeserializingConsumer with a deserializer of the registry, or of an AvroConsumer: it raises for a record of another schema."""
    if maker.name != "AvroConsumer" and not (
        maker.name == "DeserializingConsumer" and module.named("AvroDeserializer", "JSONDeserializer", "ProtobufDeserializer")
    ):
        return None
    raised = ("SerializerError",) if maker.name == "AvroConsumer" else ("KafkaException", "ConsumeError", "ValueDeserializationError")
    for call in clients.uses(module, consumer, "poll"):
        if clients.in_loops(call.spot, loops) and not any(_caught(module, call, loops, error) for error in raised):
            return call
    return None


def _in_helper(module: Any, loops: set[int]) -> Call | None:
    """The parse in a function of the module that the loop hands its record to, neither the parse nor the call being guarded."""
    for other in module.named(*NAMES):
        function = other.spot.function
        if function is None or other.spot.guarded or not of_its_own(module, function, other) or not parses(module, other):
            continue
        for site in module.call_sites(function):
            if clients.in_loops(site.spot, loops) and site.node.args and not _caught(module, site, loops):
                return other  # type: ignore[no-any-return]
    return None


def _in_other_module(
    context: Context, module: Any, consumer: Any, maker: Call | None, loops: set[int], reported: set[int]
) -> Iterator[Finding]:
    """A deserializer of another module, or the call of its function that is given the record, where neither the parse nor the call is guarded."""
    node, spot = _given(module, maker) if maker is not None else (None, None)
    said = module.others.said(module.others.callee(node, spot), elsewhere.PARSES) if isinstance(node, (cst.Name, cst.Attribute)) else None
    if said is not None:
        message = f"a record that does not parse raises in this deserializer and ends the consumer: {_THEN}"
        yield context.finding(message, module.place(node, spot), [said])
        return
    for call in module.tree.calls_in(loops):
        loop = call.spot.loop_of(loops)
        if id(call.node) in reported or not call.node.args or _caught(module, call, loops):
            continue
        given = call.node.args[0].value
        if isinstance(given, cst.FormattedString) or not clients.mentions(given, clients.records(module, consumer, loop)):
            continue
        said = module.others.said(module.others.callee(call.node.func, call.spot), elsewhere.PARSES)
        if said is not None:
            reported.add(id(call.node))
            message = f"a record that does not parse raises in {call.name} and ends the consumer: {_THEN}"
            yield context.finding(message, module.call_place(call), [said], covers=[module.covers(call)])
            return


def _caught(module: Any, parse: Call, loops: set[int], also: str = "") -> bool:
    """Whether a handler inside the loop takes what the parser raises: one around the loop, or for Ctrl-C alone, ends it."""
    for guard in parse.spot.guarded:
        names = {name for handler in getattr(guard, "handlers", ()) for name in caught(handler) or ["Exception"]}
        if not names or not (
            names & {also, *_CATCHES}
            or any(name.endswith(("DecodeError", "UnpackException", "SerializationError", "ValidationError")) for name in names)
        ):
            continue
        spot = module.spot_of(guard)
        if spot is None or clients.in_loops(spot, loops) or not isinstance(guard, cst.Try):
            return True
    return False


def _deserializer(module: Any, made: Call) -> Call | None:
    """The unguarded parse in the function given as `value_deserializer`."""
    node, spot = _given(module, made)
    for function in module.function_of(node, spot) if node is not None else []:
        for call in function.calls:
            if not call.spot.guarded and parses(module, call):
                return call  # type: ignore[no-any-return]
    return None


def _given_parser(module: Any, made: Call) -> Any:
    """A parser that is given as it is: `value_deserializer=json.loads`."""
    node, spot = _given(module, made)
    found = module.value(node, spot) if isinstance(node, (cst.Name, cst.Attribute)) else None
    return node if isinstance(found, Symbol) and found.name in PARSERS else None


def _given(module: Any, made: Call) -> tuple[Any, Any]:
    node, spot = made.argument(99, "value_deserializer"), made.spot
    for arg in made.node.args:
        found = module.value(arg.value, made.spot) if arg.star == "**" else None
        if isinstance(found, Mapping) and (pair := found.get("value_deserializer")) is not None:
            node, spot = pair.value_node, pair.spot
    return node, spot
