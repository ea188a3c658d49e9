"""Producers constructed in functions that are routes of a web framework, or handlers of AWS Lambda."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python import clients
from shoal.python.tree import Function, dotted

# Flask, Bottle, FastAPI, Starlette, Sanic, Quart …
_ROUTES = frozenset({"route", "get", "post", "put", "patch", "delete", "api_route", "websocket", "websocket_route"})


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for call, producer in clients.made(module, clients.PRODUCERS):
        if call.spot.conditional:
            continue
        makers = [maker for maker in clients.makers(module, call, producer) if not maker.spot.conditional]
        route, confidence = next((path for maker in makers if (path := _route(maker.function))), None), ""
        if route is not None:
            message = f"each request to {route} makes a producer of its own: it connects to the brokers anew, threads and sockets pile up under load"
        elif _dependency(module, call.function):
            message = "each request that depends on it makes a producer of its own: it connects to the brokers anew, threads and sockets pile up under load"
            confidence = "medium"
        elif _lambda(call.function):
            message = "each invocation makes a producer of its own and connects to the brokers anew: make it outside the handler, where the next invocation finds it"
            confidence = "medium"
        else:
            continue
        yield context.finding(message, module.call_place(call), confidence=confidence, covers=[module.covers(call)])
    for call in module.calls:
        path = _route(call.function) if not call.spot.conditional and call.name[:1].isupper() else None
        if path is not None and clients.wrapped(module, call) in clients.PRODUCERS:
            message = f"each request to {path} makes a {call.name}, and with it a producer of its own: it connects to the brokers anew, threads and sockets pile up under load"
            yield context.finding(message, module.call_place(call), confidence="medium", covers=[module.covers(call)])


def _dependency(module: Any, function: Function | None) -> bool:
    """Whether FastAPI calls it for each request; a cache keeps what it made."""
    if function is None or any("cache" in dotted(getattr(item, "func", item)) for item in function.decorators):
        return False
    given = [(call, call.argument(0, "dependency")) for call in module.named("Depends", "Security")]
    return any(node is not None and function in module.function_of(node, call.spot) for call, node in given)


def _lambda(function: Function | None) -> bool:
    """Whether it is called as AWS Lambda calls a handler."""
    return (
        function is not None
        and function.outer is None
        and function.cls is None
        and function.name in ("handler", "lambda_handler")
        and [param.name.lstrip("_") for param in function.params] in (["event", "context"], ["event", "ctx"])
    )


def _route(function: Function | None) -> str | None:
    """The path that a function answers; None when it is no route."""
    for decorator in function.decorators if function is not None else ():
        if not isinstance(decorator, cst.Call) or not decorator.args:
            continue
        name = decorator.func.attr if isinstance(decorator.func, cst.Attribute) else decorator.func
        path = decorator.args[0].value
        if isinstance(name, cst.Name) and name.value in _ROUTES and isinstance(path, cst.SimpleString):
            text = str(path.evaluated_value)
            if text.startswith("/"):
                return text
    return None
