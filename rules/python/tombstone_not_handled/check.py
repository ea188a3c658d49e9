"""Debezium's events whose value is decoded or parsed without a look whether there is one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.python import clients
from shoal.python.tree import Call, descend, last_name

# Fields that only Debezium's events have: those that its unwrapping adds, or the parts of its envelope.
_ADDED = pattern(r"[\"']__(?:op|deleted|table|source_\w+)[\"']")
_ENVELOPE = (re.compile(r"[\"']op[\"']"), re.compile(r"[\"']after[\"']"))
# … or one part of it, in a module that says whose events it reads.
_PART = pattern(r"(?:\[|\bget\()[\"']after[\"'][])]")
# … or topics that are called as Debezium's are, server.schema.table, in one that does.
_TOPIC = pattern(r"\b[\w-]+\.(?:public|dbo)\.\w+")
_SAID = pattern(r"(?i)debezium|(?<![a-z])(?:dbz|cdc)(?![a-z])")
_PARSERS = ("loads", "decode", "deserialize")


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Whoever speaks of tombstones, or tests a record's value anywhere, knows of them."""
    module = context.module
    if "tombstone" in module.raw.lower() or not _of_debezium(module):
        return
    if any(_asks(module, part, statement.spot) for statement in module.tree.statements for part in _tests(statement.node)):
        return
    made = clients.made(module, clients.CONSUMERS)
    # where several topics are read, the one that is called so
    named = [one for one in made if _SAID.search(cst.Module([]).code_for_node(one[0].node))] if len(made) > 1 else []
    for maker, consumer in named or made:
        found = _deserializer(module, maker) or _in_loop(module, clients.record_loops(module, consumer))
        if found is not None:
            message = "Debezium puts a record without a value behind each delete, and this fails for it: `None` is no text (skip records whose value is None, or set tombstones.on.delete=false)"
            yield context.finding(message, module.place(*found))
            return


def _of_debezium(module: Any) -> bool:
    """Whether a module reads Debezium's events, as their fields say, or one of them, or its topics, and the name of the file or what stands in it."""
    source = module.raw
    if _ADDED.search(source) or all(word.search(source) for word in _ENVELOPE):
        return True
    topics = ".public." in source or ".dbo." in source  # the pattern alone is slow
    found = _PART.search(source) or (_TOPIC.search(source) if topics else None)
    return found is not None and _SAID.search(f"{module.path}\n{source}") is not None


def _tests(node: Any) -> Iterator[Any]:
    """What decides which way a statement goes."""
    if isinstance(node, (cst.If, cst.While)):
        yield node.test
    elif not hasattr(node, "body"):
        for part in descend(node):
            if isinstance(part, cst.IfExp):
                yield part.test
            elif isinstance(part, cst.BooleanOperation):
                yield part.left


def _asks(module: Any, test: Any, spot: Any) -> bool:
    """Whether a test is about a record's value: `msg.value() is None`, `not record.value`, or a name that may hold it."""
    parts = [part.func if isinstance(part, cst.Call) and not part.args else part for part in descend(test, _STEPS)]
    return any(
        (isinstance(part, cst.Attribute) and part.attr.value == "value")
        or (isinstance(part, cst.Name) and part.value in _KEPT and not _of_a_field(module, part.value, spot))
        for part in parts
    )


def _of_a_field(module: Any, name: str, spot: Any, levels: int = 3) -> bool:
    """Whether a name surely holds something inside a value: what `items()` goes through, or what a function is always given of such."""
    found = [binding for binding, _ in module.lookup(name, spot)]
    return bool(found) and all(_inside(module, name, binding, levels) for binding in found)


def _inside(module: Any, name: str, binding: Any, levels: int) -> bool:
    if binding.kind == "for":
        return isinstance(binding.node, cst.Call) and last_name(binding.node.func) in ("items", "values")
    function: Any = binding.spot.function if binding.kind == "param" and levels else None
    sites = module.call_sites(function) if function is not None else []
    place = [param.name for param in function.params].index(name) if sites else 0
    if not sites or (function.cls is not None and function.self_name):
        return False
    given = [(site.argument(place, name), site.spot) for site in sites]
    return all(
        isinstance(node, cst.Subscript)
        or (isinstance(node, cst.Name) and (node.value not in _KEPT or _of_a_field(module, node.value, where, levels - 1)))
        for node, where in given
    )


# What a value is called once it is taken out of its record.
_KEPT = ("value", "raw", "raw_value", "val", "v", "data", "payload", "body", "x", "m")
_STEPS = (cst.Call, cst.Attribute, cst.Subscript)


def _deserializer(module: Any, maker: Call) -> tuple[Any, Any] | None:
    """The call in a `value_deserializer` that takes what it is given as it comes."""
    given = maker.argument(99, "value_deserializer")
    for function in module.function_of(given, maker.spot) if given is not None else ():
        plain = len(function.params) == 1 and not any(call.spot.conditional or call.spot.guarded for call in function.calls)
        found = _takes_as_it_comes(function, function.params[0].name) if plain else None
        if found is not None:
            return found
    return None


def _in_loop(module: Any, loops: set[int]) -> tuple[Any, Any] | None:
    """`json.loads(msg.value())`, `record.value.decode()` in a loop over records, or in a function that the loop gives the value."""
    for call in module.named(*_PARSERS):
        of = call.receiver_node if call.name == "decode" else call.argument(0)
        value = of.func if isinstance(of, cst.Call) and not of.args else of
        if isinstance(value, cst.Attribute) and value.attr.value == "value" and clients.in_or_called_in(module, call, loops):
            return call.node.func, call.spot
    for call in module.tree.calls_in(loops):
        function = module.target(call) if not call.has_stars else None
        for param in function.params if function is not None else ():
            given = module.given(call, function, param)
            value = given.func if isinstance(given, cst.Call) and not given.args else given
            if isinstance(value, cst.Attribute) and value.attr.value == "value" and (found := _takes_as_it_comes(function, param.name)):
                return found
    return None


def _takes_as_it_comes(function: Any, name: str) -> tuple[Any, Any] | None:
    """The call in a function that decodes or parses what it is given for a parameter, under no condition."""
    for call in function.calls:
        of = call.receiver_node if call.name == "decode" else call.argument(0)
        if call.name in _PARSERS and isinstance(of, cst.Name) and of.value == name and not (call.spot.conditional or call.spot.guarded):
            return call.node.func, call.spot
    return None
