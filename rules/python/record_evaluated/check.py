"""`eval` and `exec` of what comes with a record: of a Kafka consumer's, in its deserializer, or in a function that a pipeline runs for each element."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python import clients
from shoal.python.tree import Function, Spot, descend

_LEVELS = 5


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    runs = [
        call
        for call in module.named("eval", "exec")
        if call.receiver_node is None and len(call.args) == 1 and not module.lookup(call.name, call.spot)
    ]
    if not runs:
        return
    loops = clients.all_record_loops(module)
    parsers = {
        id(function)
        for maker, _ in clients.made(module, clients.CONSUMERS)
        for key in ("value_deserializer", "key_deserializer")
        if (given := maker.argument(99, key)) is not None
        for function in module.function_of(given, maker.spot)
    }
    for call in runs:
        if _of_a_record(module, call.args[0].value, call.spot, loops, parsers, _LEVELS):
            message = f"{call.name}() runs what a record says: whoever can write to the topic runs code here, and a text that is no Python ends the loop (json.loads, or ast.literal_eval for what another program has printed)"
            yield context.finding(message, module.call_place(call), covers=[module.covers(call)])


def _of_a_record(module: Any, node: Any, spot: Spot, loops: set[int], parsers: set[int], levels: int) -> bool:
    """Whether a value surely comes out of a record."""
    for part in descend(node) if levels else ():
        if isinstance(part, cst.Attribute) and part.attr.value == "value" and clients.in_loops(spot, loops):
            return True
        if isinstance(part, cst.Name) and any(
            _bound(module, part.value, binding, loops, parsers, levels) for binding, _ in module.lookup(part.value, spot)
        ):
            return True
    return False


def _bound(module: Any, name: str, binding: Any, loops: set[int], parsers: set[int], levels: int) -> bool:
    if binding.kind in ("assign", "unpack"):
        return _of_a_record(module, binding.node, binding.spot, loops, parsers, levels - 1)
    function = binding.spot.function
    if binding.kind != "param" or function is None or not function.params:
        return False
    if id(function) in parsers or _takes(module, function, name):
        return True
    names = [param.name for param in function.params]
    if name not in names:
        return False
    place = names.index(name) - (function.cls is not None and bool(function.self_name))
    given = [(site.argument(place, name), site) for site in module.call_sites(function) if site.function is not function]
    return any(node is not None and _of_a_record(module, node, site.spot, loops, parsers, levels - 1) for node, site in given)


def _takes(module: Any, function: Function, name: str) -> bool:
    """Whether a pipeline gives a function its elements by this name, the first that it asks for."""
    if not any(where.engine in ("beam", "flink", "spark") and not where.through for where in module.contexts.of(function)):
        return False
    own = [param.name for param in function.params if not (function.cls is not None and param.name == function.self_name)]
    return own[:1] == [name]
