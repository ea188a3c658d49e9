"""`await consume()` in a startup handler, or above the `yield` of a lifespan: a web application is started when that comes back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python import staying
from shoal.python.tree import Function

_HOOKS = ("on_startup", "before_serving", "before_server_start")


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for function in _starters(module):
        first = min((spot.statement for _, spot in function.yielded), default=None)
        for statement in staying.own(module, function):
            if first is None or statement.spot.statement < first:
                node: Any = statement.node
                place = module.place(node.iter if isinstance(node, cst.For) else node.test, statement.spot)
                yield context.finding(_told("this loop over the consumer's records"), place)
                break
        for call in function.calls:
            if call.spot.conditional or (first is not None and call.spot.statement >= first):
                continue
            found = staying.waited_for(module, call)
            if found is not None:
                sure = "" if module.target(call) is not None else "medium"
                message = _told(f"{call.name}()")
                yield context.finding(message, module.call_place(call), [found], confidence=sure, covers=[module.covers(call)])
                break


def _told(what: str) -> str:
    return (
        f"the application is never started: it waits for {what}, which takes a consumer's records for ever, and answers no request before that has "
        "come back (asyncio.create_task() it and keep the task, or run it in a thread)"
    )


def _starters(module: Any) -> list[Function]:
    """The functions that an application runs when it starts."""
    found: list[Function] = []
    for function in module.functions:
        if any(_is_startup(decorator) for decorator in function.decorators):
            found.append(function)
    for call in module.calls:
        for arg in call.node.args:
            name = arg.keyword.value if arg.keyword is not None else ""
            if name == "lifespan":
                found += [function for function in _lifespans(module, arg.value) if function.yields]
            elif name == "on_startup" and isinstance(arg.value, cst.List):
                found += [one for item in arg.value.elements for one in module.function_of(item.value, call.spot)]
        if call.name == "add_event_handler" and len(call.node.args) > 1 and _text(call.node.args[0].value) == "startup":
            found += module.function_of(call.node.args[1].value, call.spot)
    return list(dict.fromkeys(found))


def _lifespans(module: Any, node: Any) -> list[Function]:
    """The function under a name, though `@asynccontextmanager` stands above it."""
    if not isinstance(node, cst.Name):
        return []
    return [function for function in module.functions if function.name == node.value and function.cls is None and function.outer is None]


def _is_startup(decorator: Any) -> bool:
    """`@app.on_event("startup")`, `@app.on_startup`, `@app.before_serving`."""
    if isinstance(decorator, cst.Call) and isinstance(decorator.func, cst.Attribute):
        if decorator.func.attr.value == "on_event":
            return bool(decorator.args) and _text(decorator.args[0].value) == "startup"
        return decorator.func.attr.value in _HOOKS
    return isinstance(decorator, cst.Attribute) and decorator.attr.value in _HOOKS


def _text(node: Any) -> str:
    return str(node.evaluated_value) if isinstance(node, cst.SimpleString) else ""
