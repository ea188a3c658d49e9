"""`send(topic, json.dumps(order))` by a producer whose `value_serializer` is `json.dumps` already."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.tree import Call, Function, dotted
from shoal.python.values import FunctionValue, options

_PRODUCERS = frozenset({"kafka.Producer", "aiokafka.Producer"})
_DUMPS = frozenset({"json.dumps", "simplejson.dumps"})


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for call in module.named("send", "send_and_wait"):
        made = module.sure_receivers(call)
        if not made or any(obj.type not in _PRODUCERS or not isinstance(obj.node, cst.Call) for obj in made):
            continue
        makers = [Call(obj.node, obj.call, obj.spot, None, "") for obj in made]
        for position, name in ((1, "value"), (2, "key")):
            node = call.argument(position, name)
            given = [maker.argument(99, f"{name}_serializer") for maker in makers]
            if (
                node is None
                or call.spot.expects_error()
                or not all(_makes_json(module, at, maker) for at, maker in zip(given, makers, strict=True))
            ):
                continue
            dumped, text = _dumped(module, node, call)
            if dumped is None:
                continue
            message = (
                f"the {name} is made JSON twice: the producer's {name}_serializer does it again, and who reads it gets a text where an object was meant"
                if text
                else f"{call.name}() ends with a TypeError: the {name} is bytes already, which the producer's {name}_serializer cannot make JSON"
            )
            related = [(module.place(at, maker.spot), "and here") for at, maker in zip(given[:1], makers, strict=False)]
            yield context.finding(message, module.place(node, call.spot), related, covers=[module.covers(call)])


def _makes_json(module: Any, node: Any, maker: Call) -> bool:
    """Whether a serializer makes JSON of whatever it is given; one that asks what that is may leave texts alone."""
    if node is None or maker.has_stars:
        return False
    if isinstance(node, cst.Lambda):
        given = [param.name.value for param in node.params.params]
        return _json_of(node.body, given)
    functions = [value.function for value in options(module.value(node, maker.spot)) if isinstance(value, FunctionValue)]
    return bool(functions) and all(_gives_json(module, function) for function in functions)


def _gives_json(module: Any, function: Function) -> bool:
    """A function that is `return json.dumps(value).encode()`, but for its docstring."""
    if function.is_lambda:
        return False
    body = [statement.node for statement in module.tree.statements if statement.spot.function is function]
    body = [node for node in body if not (isinstance(node, cst.Expr) and isinstance(node.value, cst.SimpleString))]
    return len(body) == 1 and isinstance(body[0], cst.Return) and _json_of(body[0].value, function.given_names)


def _json_of(node: Any, names: list[str]) -> bool:
    """`json.dumps(value)` of one of the names, as a text or as bytes."""
    inner = _text(node)
    if not _is_dumps(inner) or not inner.args:
        return False
    first = inner.args[0].value
    return isinstance(first, cst.Name) and first.value in names


def _text(node: Any) -> Any:
    """What is encoded: `text.encode(…)` and `bytes(text, …)` without the encoding."""
    if isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute) and node.func.attr.value == "encode":
        return node.func.value
    if isinstance(node, cst.Call) and dotted(node.func) == "bytes" and node.args:
        return node.args[0].value
    return node


def _is_dumps(node: Any) -> bool:
    return isinstance(node, cst.Call) and dotted(node.func) in _DUMPS


def _dumped(module: Any, node: Any, call: Call) -> tuple[Any, bool]:
    """The `json.dumps(…)` that a value is, written there or under a name that is given nothing else, and whether it is still a text."""
    if isinstance(node, cst.Name):
        found = [binding for binding, _ in module.lookup(node.value, call.spot)]
        if len(found) != 1 or found[0].kind != "assign" or found[0].spot.function is not call.function:
            return None, False
        node = found[0].node
    inner = _text(node)
    return (inner, inner is node) if _is_dumps(inner) else (None, False)
