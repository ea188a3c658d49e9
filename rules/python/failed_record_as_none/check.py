"""A function of a map() that answers None where a record fails, and a next step that takes its value apart without a look."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python import handlers
from shoal.python.flow import catches_all, caught
from shoal.python.tree import Call, Function, descend
from shoal.python.values import FunctionValue, Instance, names, options

_STEPS = {"map": "map", "flat_map": "flat_map", "key_by": "get_key", "filter": "filter", "process": "process_element"}
_PARSES = names("ValueError JSONDecodeError KeyError TypeError UnicodeDecodeError IndexError AttributeError")
_TESTS = (cst.If, cst.IfExp, cst.BooleanOperation, cst.Comparison, cst.UnaryOperation, cst.Assert, cst.While, cst.Match)


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for call in module.named(*_STEPS):
        user = next(_functions(module, call), None)
        record = _record(user) if user is not None else ""
        if user is None or not record:
            continue
        for stream in module.sure_receivers(call):
            before = stream.node
            if not stream.type.startswith("flink.") or not isinstance(before, cst.Call) or not isinstance(before.func, cst.Attribute):
                continue
            mapped = next((one for one in module.named("map") if one.node is before), None) if before.func.attr.value == "map" else None
            given = (
                next(((answer, one) for one in _functions(module, mapped) if (answer := _none(one)) is not None), None) if mapped else None
            )
            used = _used(user, record) if given is not None else None
            if given is None or used is None:
                continue
            answer, maker = given
            message = (
                f"a record that fails in {maker.qualname} comes here as None, and the task ends with a TypeError; after each restart it reads the record again: "
                f"filter what is None before this, or use flat_map and yield nothing"
            )
            yield context.finding(
                message, module.place(used, call.spot), [(module.place(answer, call.spot), "None in place of the record")]
            )
            break


def _functions(module: Any, call: Call | None) -> Iterator[Function]:
    """The functions of this module that a step hands its records to."""
    node = call.argument(0) if call is not None else None
    for option in options(module.value(node, call.spot)) if node is not None and call is not None else ():
        if isinstance(option, FunctionValue):
            yield option.function
        elif call is not None and isinstance(option, Instance) and (method := module.method(option.cls, _STEPS[call.name])) is not None:
            yield method


def _record(function: Function) -> str:
    plain = [param.name for param in function.params if param.name != function.self_name]
    return plain[0] if plain else ""


def _none(function: Function) -> Any:
    """Where a function returns None in a handler of errors that records bring about; None where it does not."""
    for handler in (one for one in descend(function.body) if isinstance(one, cst.ExceptHandler)):
        if handlers.gives_none(handler) and (catches_all(handler) or _PARSES & set(caught(handler))):
            last: Any = handler.body.body[-1]
            return last.body[-1]
    return None


def _used(function: Function, name: str) -> Any:
    """Where a function takes its record apart; None where it asks what that is, or tries."""
    nodes = [function.body, *descend(function.body)]
    if any(isinstance(one, cst.Try) or (isinstance(one, _TESTS) and _mentions(one, name)) for one in nodes):
        return None
    return next(
        (
            one.value
            for one in nodes
            if isinstance(one, (cst.Attribute, cst.Subscript)) and isinstance(one.value, cst.Name) and one.value.value == name
        ),
        None,
    )


def _mentions(test: Any, name: str) -> bool:
    """Whether what decides something has the record itself in it, not a part of the record."""
    asked = getattr(test, "test", None) or getattr(test, "subject", None) or test
    parts = [asked, *descend(asked)]
    taken = {id(one.value) for one in parts if isinstance(one, (cst.Attribute, cst.Subscript))}
    return any(isinstance(one, cst.Name) and one.value == name and id(one) not in taken for one in parts)
