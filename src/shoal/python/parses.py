"""Where a record is parsed: here, and in functions that it is given to."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from shoal.python.tree import ASSIGNMENTS, beginning, last_name, targets

if TYPE_CHECKING:
    from shoal.model import Place
    from shoal.python.module import Module
    from shoal.python.tree import Call, Function

# What `record["value"].decode("utf-8")` does to a record.
_STEPS = (cst.Call, cst.Attribute, cst.Subscript)
# Pydantic's, of whatever model.
_OF_MODELS = ("model_validate_json", "parse_raw")
NAMES = ("loads", "unpackb", *_OF_MODELS)
PARSERS = frozenset({"json.loads", "orjson.loads", "ujson.loads", "simplejson.loads", "msgpack.unpackb", "pickle.loads"})
_COPIES = frozenset({"asdict", "dict", "vars", "str", "bytes"})
_LEVELS = 2


def parses(module: Module, call: Call) -> bool:
    """Whether a call parses a text or bytes, and raises where they are none of its kind."""
    return call.name in _OF_MODELS or (call.name in NAMES and module.qualified(call) in PARSERS)


def of_its_own(module: Module, function: Function, call: Call) -> bool:
    """Whether a function parses what it is given, or what it takes out of that."""
    return bool(call.node.args) and beginning(call.node.args[0].value, _STEPS) in _given(module, function)


def _given(module: Module, function: Function) -> set[str]:
    """The names under which a function has what it is given, or some part or copy of it."""
    names = set(function.given_names)
    for node, _, spot in module.tree.of_kind(*ASSIGNMENTS):
        value = node.value if spot.function is function else None
        if isinstance(value, cst.Call) and last_name(value.func) in _COPIES and value.args:
            value = value.args[0].value
        if value is not None and beginning(value, _STEPS) in names:
            names |= {target.value for target in targets(node) if isinstance(target, cst.Name)}
    return names


def unguarded(module: Module, function: Function) -> tuple[Place, str] | None:
    """The parse of what a function is given, in it or in what it hands this on to, where no `try` is around."""
    return _unguarded(module, function, _LEVELS)


def value_unasked(module: Module, function: Function) -> tuple[Place, str] | None:
    """Where a function takes the value of a message that it is given (confluent-kafka's `value()`), when nothing in its module asks for an error."""
    if any(call.receiver_node is not None and not call.node.args for call in module.named("error")):
        return None
    for call in function.calls:
        taken = call.receiver_node if call.name == "value" and not call.node.args else None
        if isinstance(taken, cst.Name) and taken.value in function.given_names:
            return module.call_place(call), "its value is taken here"
    return None


def _unguarded(module: Module, function: Function, levels: int) -> tuple[Place, str] | None:
    names = _given(module, function)
    for call in function.calls:
        if call.spot.guarded or not call.node.args or beginning(call.node.args[0].value, _STEPS) not in names:
            continue
        if parses(module, call):
            return module.call_place(call), "parsed here"
        target = module.target(call) if levels else None
        if target is not None and target is not function and (found := _unguarded(module, target, levels - 1)) is not None:
            return found
    return None
