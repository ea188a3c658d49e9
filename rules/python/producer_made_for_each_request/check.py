"""Producers constructed in functions that are routes of a web framework."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python import clients
from shoal.python.tree import Function

# Flask, Bottle, FastAPI, Starlette, Sanic, Quart …
_ROUTES = frozenset({"route", "get", "post", "put", "patch", "delete", "api_route", "websocket", "websocket_route"})


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for call, _ in clients.made(module, clients.PRODUCERS):
        route = _route(call.function)
        if route is None or call.spot.conditional:
            continue
        message = (
            f"each request to {route} makes a producer of its own: it connects to the brokers anew, threads and sockets pile up under load"
        )
        yield context.finding(message, module.call_place(call), covers=[module.covers(call)])


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
