"""A function of a map(), or a consumer's deserializer, that answers None where a record fails, and a next step that takes its value apart without a look."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.python import clients, handlers
from shoal.python.flow import catches_all, caught
from shoal.python.tree import Call, Function, descend, last_name, targets
from shoal.python.values import FunctionValue, Instance, names, options

_STEPS = {"map": "map", "flat_map": "flat_map", "key_by": "get_key", "filter": "filter", "process": "process_element"}
_PARSES = names("ValueError JSONDecodeError KeyError TypeError UnicodeDecodeError IndexError AttributeError")
# What other parsers raise of their own: msgpack, Avro, protobuf.
_UNREAD = pattern(r"(?i)decode|unpack|pars|extradata|format|schema|serial")
_EXITS = ("exit", "_exit", "abort")
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
            used = _used(user.body, partial(_is_name, name=record)) if given is not None else None
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
    yield from _deserialized(context, module)


def _deserialized(context: Context, module: Any) -> Iterator[Finding]:
    """`value_deserializer=parse`, and `record.value["id"]` in the consumer's loop."""
    for maker, consumer in clients.made(module, clients.CONSUMERS):
        parser = maker.argument(99, "value_deserializer")
        answers = (
            [(function, _none(function) or _no_answer(function)) for function in module.function_of(parser, maker.spot)] if parser else []
        )
        loops = clients.record_loops(module, consumer)
        for statement in module.tree.statements if answers and all(answer for _, answer in answers) else ():
            used = _value_used(statement.node) if id(statement.node) in loops else None
            if used is None:
                continue
            function, answer = answers[0]
            message = f"a value that {function.qualname} cannot read comes here as None, and this ends the loop with a TypeError or AttributeError: after each restart the same record may come again (skip what is None before this)"
            yield context.finding(
                message, module.place(used, statement.spot), [(module.place(answer, maker.spot), "None in place of the value")]
            )
            return


def _value_used(loop: Any) -> Any:
    """Where a loop over records takes the value of one apart; None where it asks what that is, or tries."""
    tries = any(isinstance(part, cst.Try) for part in descend(loop))
    for inner in descend(loop) if not tries else ():
        if isinstance(inner, cst.For) and isinstance(inner.target, cst.Name):
            record = inner.target.value
            kept = {
                target.value
                for part in descend(inner.body)
                if isinstance(part, cst.Assign) and _is_value(part.value, record)
                for target in targets(part)
                if isinstance(target, cst.Name)
            }
            used = _used(inner.body, partial(_is_value_or, record=record, kept=kept))
            if used is not None:
                return used
    return None


def _is_value(node: Any, record: str) -> bool:
    return isinstance(node, cst.Attribute) and node.attr.value == "value" and _is_name(node.value, record)


def _is_value_or(node: Any, record: str, kept: set[str]) -> bool:
    return _is_value(node, record) or (isinstance(node, cst.Name) and node.value in kept)


def _is_name(node: Any, name: str) -> bool:
    return isinstance(node, cst.Name) and node.value == name


def _functions(module: Any, call: Call | None) -> Iterator[Function]:
    """The functions of this module that a step hands its records to."""
    node = call.argument(0) if call is not None else None
    for option in options(module.value(node, call.spot)) if node is not None and call is not None else ():
        if isinstance(option, FunctionValue):
            yield option.function
        elif call is not None and isinstance(option, Instance) and (method := module.method(option.cls, _STEPS[call.name])) is not None:
            yield method


def _record(function: Function) -> str:
    plain = function.given_names
    return plain[0] if plain else ""


def _none(function: Function) -> Any:
    """Where a function returns None in a handler of errors that records bring about; None where it does not."""
    for handler in (one for one in descend(function.body) if isinstance(one, cst.ExceptHandler)):
        if handlers.gives_none(handler) and (catches_all(handler) or _PARSES & set(caught(handler))):
            last: Any = handler.body.body[-1]
            return last.body[-1]
    return None


def _no_answer(function: Function) -> Any:
    """A handler of such errors that says nothing of an answer, at the end of a function; None for any other."""
    last = function.body.body[-1] if isinstance(function.body, cst.IndentedBlock) else None
    for handler in last.handlers if isinstance(last, cst.Try) else ():
        ends = any(
            isinstance(part, (cst.Return, cst.Raise)) or (isinstance(part, cst.Call) and last_name(part.func) in _EXITS)
            for part in descend(handler.body)
        )
        if not ends and (catches_all(handler) or any(name in _PARSES or _UNREAD.search(name) for name in caught(handler))):
            return handler.type or handler.body
    return None


def _used(body: Any, itself: Callable[[Any], bool]) -> Any:
    """Where a record is taken apart; None where it is asked what that is, or something is tried."""
    nodes = [body, *descend(body)]
    if any(isinstance(one, cst.Try) or (isinstance(one, _TESTS) and _mentions(one, itself)) for one in nodes):
        return None
    return next((one.value for one in nodes if isinstance(one, (cst.Attribute, cst.Subscript)) and itself(one.value)), None)


def _mentions(test: Any, itself: Callable[[Any], bool]) -> bool:
    """Whether what decides something has the record itself in it, not a part of the record."""
    asked = getattr(test, "test", None) or getattr(test, "subject", None) or test
    parts = [asked, *descend(asked)]
    taken = {id(one.value) for one in parts if isinstance(one, (cst.Attribute, cst.Subscript))}
    return any(itself(one) and id(one) not in taken for one in parts)
