"""`async_invoke` and `timeout` of PyFlink's AsyncFunction: coroutines that return a list on every path that does not raise."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.tree import Function, dotted, last_name
from shoal.python.values import Instance, Known, Mapping, options


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for cls in module.classes:
        if not any(base.startswith("pyflink.") and base.endswith(".AsyncFunction") for base in module.bases(cls)):
            continue
        for name in ("async_invoke", "timeout"):
            function = cls.methods.get(name)
            if function is not None and (name == "async_invoke" or function.cls is cls):
                yield from _judge(context, module, function)


def _judge(context: Context, module: Any, function: Function) -> Iterator[Finding]:
    place = module.def_place(function)
    if function.name == "async_invoke" and not function.is_async:
        yield context.finding(
            "async_invoke must be a coroutine: a plain function is refused when the job is built; write `async def`", place
        )
        return
    if function.name == "timeout" and function.is_async:
        yield context.finding("timeout must be a plain function: nobody awaits it, and the coroutine that it gives is no list", place)
        return
    if function.yields:
        yield context.finding(f"{function.name} yields: it must return one list with all results of the record", place)
        return
    bare = [(node, spot) for node, spot in function.returns if node is None]
    for _, spot in bare:
        statement = module.tree.statements[spot.statement]
        message = f"this return gives no list: {function.name} answers a record that has no result with [], and fails it by raising"
        yield context.finding(message, module.place(statement.node, spot))
    for node, spot in function.returns:
        if node is None:
            continue
        wrong = _wrong(module, node, spot)
        if wrong:
            what, becomes = wrong
            message = f"{function.name} must return a list of results, this is {what}: {becomes}"
            yield context.finding(message, module.place(node, spot))
    if module.flow(function).falls_off() and not _abstract(function):
        message = f"a path through {function.name} ends without a return, which gives None instead of a list: the record's slot is never filled as it should be"
        yield context.finding(message, place)


_FAILS = "the operator fails on it"
# Whatever can be iterated over is taken for the list.
_KEYS, _ITEMS, _CHARACTERS = (f"each of its {parts} becomes a record" for parts in ("keys", "items", "characters"))


def _wrong(module: Any, node: Any, spot: Any) -> tuple[str, str] | None:
    """What a result is that is no list, and what becomes of it."""
    if isinstance(node, cst.Dict):
        return "a dict", _KEYS
    if isinstance(node, cst.Tuple):
        return ("a tuple", _ITEMS) if len(node.elements) > 1 else None
    if isinstance(node, cst.FormattedString) or (isinstance(node, cst.Call) and dotted(node.func) in ("json.dumps", "str")):
        return "a text", _CHARACTERS
    if read := _read(module, node, spot):
        return read
    found = options(module.value(node, spot))
    if found and all(isinstance(option, Known) and not isinstance(option.value, bytes) for option in found):
        if isinstance(found[0].value, str):
            return "a text", _CHARACTERS
        return "None" if found[0].value is None else f"a single {type(found[0].value).__name__}", _FAILS
    if found and all(isinstance(option, Mapping) for option in found):
        return "a dict", _KEYS
    if found and all(isinstance(option, Instance) and not module.bases(option.cls) for option in found):
        return f"a single {found[0].cls.name}", _FAILS
    return None


# What a response is read with, whatever the client that gave it.
_READS = {"text": ("a text", _CHARACTERS), "read": ("bytes", "each of its bytes becomes a record")}


def _read(module: Any, node: Any, spot: Any, level: int = 0) -> tuple[str, str] | None:
    """The body of a response: `await response.text()`, a name for it, or what a coroutine of the module gives that reads it."""
    if level > 3 or "aiohttp" not in module.text.text:
        return None
    if isinstance(node, cst.Name):
        found = module.lookup(node.value, spot)
        if len(found) != 1 or not found[0][1] or found[0][0].kind != "assign":
            return None
        return _read(module, found[0][0].node, found[0][0].spot, level + 1)
    call = node.expression if isinstance(node, cst.Await) else None
    if not isinstance(call, cst.Call):
        return None
    helpers = module.function_of(call.func, spot)
    if len(helpers) == 1 and not helpers[0].yields:
        given = [_read(module, inner, at, level + 1) if inner is not None else None for inner, at in helpers[0].returns]
        return given[0] if given and all(one is not None and one == given[0] for one in given) else None
    if isinstance(call.func, cst.Attribute) and not helpers and _of_response(module, call.func.value, spot):
        return _READS.get(call.func.attr.value)
    return None


def _of_response(module: Any, node: Any, spot: Any) -> bool:
    """Whether a name is what a request of a session gives: `async with session.get(…) as response`."""
    found = module.lookup(node.value, spot) if isinstance(node, cst.Name) else []
    made = found[0][0].node if len(found) == 1 and found[0][0].kind in ("with", "assign") else None
    made = made.expression if isinstance(made, cst.Await) else made
    return isinstance(made, cst.Call) and last_name(made.func) in ("get", "post", "put", "patch", "delete", "request")


def _abstract(function: Function) -> bool:
    body = function.body.body
    last = body[-1] if body else None
    if not isinstance(last, cst.SimpleStatementLine):
        return False
    small = last.body[0]
    return (isinstance(small, cst.Pass) and len(body) <= 2) or (isinstance(small, cst.Expr) and isinstance(small.value, cst.Ellipsis))
