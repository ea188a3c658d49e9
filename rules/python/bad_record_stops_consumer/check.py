"""Unguarded parsing in a deserializer or in the loop of a consumer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python import clients
from shoal.python.tree import Call
from shoal.python.values import Mapping

_PARSERS = frozenset({"json.loads", "orjson.loads", "ujson.loads", "simplejson.loads", "msgpack.unpackb", "pickle.loads"})


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for call, consumer in clients.made(module, clients.CONSUMERS):
        loops = clients.record_loops(module, consumer)
        parse = _deserializer(module, call) or next(
            (
                other
                for other in module.named("loads", "unpackb")
                if not other.spot.guarded and clients.in_loops(other.spot, loops) and module.qualified(other) in _PARSERS
            ),
            None,
        )
        if parse is None:
            continue
        message = "a record that does not parse raises here and ends the consumer, whose offset stays before it: every restart meets it again; put it aside and go on"
        yield context.finding(message, module.call_place(parse), covers=[module.covers(parse)])


def _deserializer(module: Any, made: Call) -> Call | None:
    """The unguarded parse in the function given as `value_deserializer`."""
    node, spot = made.argument(99, "value_deserializer"), made.spot
    for arg in made.node.args:
        found = module.value(arg.value, made.spot) if arg.star == "**" else None
        if isinstance(found, Mapping) and (pair := found.get("value_deserializer")) is not None:
            node, spot = pair.value_node, pair.spot
    for function in module.function_of(node, spot) if node is not None else []:
        for call in function.calls:
            if call.name in ("loads", "unpackb") and not call.spot.guarded and module.qualified(call) in _PARSERS:
                return call  # type: ignore[no-any-return]
    return None
