"""Producers constructed in routes and views of a web framework, or in handlers of AWS Lambda."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.python import clients
from shoal.python.lambdas import is_handler
from shoal.python.tree import ASSIGNMENTS, Call, Function, descend, dotted, last_name, targets

# Methods of classes that answer requests: Django's and Flask's views, view sets of the REST framework, resources of Flask-RESTful, handlers of Tornado.
_METHODS = frozenset(
    {"get", "post", "put", "patch", "delete", "create", "update", "partial_update", "destroy", "perform_create", "perform_update"}
)
_VIEWS = ("View", "ViewSet", "ViewSetMixin", "Resource", "RequestHandler", "HTTPEndpoint")
# Flask, Bottle, FastAPI, Starlette, Sanic, Quart …
_ROUTES = frozenset({"route", "get", "post", "put", "patch", "delete", "api_route", "websocket", "websocket_route"})
# What functions are called that a program calls once, or to try something.
_ONCE = pattern(r"(?i)test|demo|example|once|main|setup|init|bootstrap|seed")


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for call, producer in clients.made(module, clients.PRODUCERS):
        if not _anew(module, call):
            continue
        makers = [maker for maker in clients.makers(module, call, producer) if _anew(module, maker)]
        route, confidence = next((path for maker in makers if (path := _route(maker.function))), None), ""
        view = next((name for maker in makers if (name := _view(maker.function))), None)
        if route is not None or view is not None:
            route, confidence = route or view, "" if route else "medium"
            message = f"each request to {route} makes a producer of its own: it connects to the brokers anew, threads and sockets pile up under load"
        elif _dependency(module, call.function):
            message = "each request that depends on it makes a producer of its own: it connects to the brokers anew, threads and sockets pile up under load"
            confidence = "medium"
        elif any(_invoked(module, maker.function, 0) for maker in makers):
            message = "each invocation makes a producer of its own and connects to the brokers anew: make it outside the handler, where the next invocation finds it"
            confidence = "medium"
        elif call.function is not None and _sends_one(module, call, producer):
            message = f"each call of {call.function.qualname} makes a producer of its own for what it sends: it connects to the brokers anew every time (make one, and keep it)"
            confidence = "low"
        else:
            continue
        yield context.finding(message, module.call_place(call), confidence=confidence, covers=[module.covers(call)])
    for call in module.calls:
        path = _route(call.function) or _view(call.function) if _anew(module, call) else None
        kind, methods = clients.wrapper(module, call.node.func, call.spot) if path is not None else ("", [])
        if kind in clients.PRODUCERS and (not methods or _opened(module, call, methods)):
            what = f"makes a {call.name}, and with it" if call.name[:1].isupper() else f"calls {call.name}(), which makes"
            message = f"each request to {path} {what} a producer of its own: it connects to the brokers anew, threads and sockets pile up under load"
            yield context.finding(message, module.call_place(call), confidence="medium", covers=[module.covers(call)])
    for call in module.named("Depends", "Security"):
        node = call.argument(0, "dependency")
        kind, methods = clients.wrapper(module, node, call.spot) if isinstance(node, (cst.Name, cst.Attribute)) else ("", [])
        if kind in clients.PRODUCERS and not methods:
            message = f"each request that depends on {last_name(node)} makes one, and with it a producer of its own: it connects to the brokers anew, threads and sockets pile up under load"
            yield context.finding(message, module.place(node, call.spot), confidence="medium", covers=[module.covers(call)])


def _opened(module: Any, call: Call, methods: list[str]) -> bool:
    """Whether the function in which an object is made has it make its client: `events = Events()`, `await events.connect()`."""
    name = module.assigned(call)
    opens = [one for one in module.named(*methods) if one.function is call.function and isinstance(one.receiver_node, cst.Name)]
    return bool(name) and any(one.receiver_node.value == name for one in opens)


def _sends_one(module: Any, call: Call, producer: Any) -> bool:
    """Whether a function makes a producer to send what it is given, once, and is not the program itself: `def publish(topic, order)`."""
    function = call.function
    if function is None or function.name in ("main", "run", "__init__") or function.outer is not None or call.spot.in_loop():
        return False
    given = _from_given(module, function)
    sends = clients.uses(module, producer, "send", "produce", "send_and_wait")
    sites = module.call_sites(function)
    return (
        len(sends) == 1
        and sends[0].function is function
        and not sends[0].spot.in_loop()
        and any(clients.mentions(arg.value, given) for arg in sends[0].node.args)
        and not _ONCE.search(function.name)
        # of one that a loop calls `client-made-for-each-record` speaks
        and (not sites or (any(site.function is not None for site in sites) and not any(site.spot.in_loop() for site in sites)))
    )


def _from_given(module: Any, function: Function) -> set[str]:
    """The parameters of a function, and the names that it gives what it makes of them: `payload = json.dumps(order).encode()`."""
    given = set(function.given_names)
    for statement in module.tree.statements:
        node = statement.node
        if (
            statement.spot.function is function
            and isinstance(node, ASSIGNMENTS)
            and node.value is not None
            and clients.mentions(node.value, given)
        ):
            given |= {target.value for target in targets(node) if isinstance(target, cst.Name)}
    return given


def _anew(module: Any, call: Call) -> bool:
    """Whether a call makes another object each time that it is come to, and none that is kept: under conditions that say nothing of it, at most."""
    if not call.spot.conditional:
        return True
    name, node = module.assigned(call), module.tree.statements[call.spot.statement].node
    if not name:
        return not isinstance(node, (cst.Assign, cst.AnnAssign, cst.Return))
    tests = [arm.test for arm in call.spot.arms if arm.kind in ("if", "else", "case", "and")]
    return (
        name not in call.spot.scope.uses_globals
        and not clients.stored(module, node, call.spot.scope)
        and not any(isinstance(part, cst.Name) and part.value == name for test in tests if test is not None for part in descend(test))
    )


def _dependency(module: Any, function: Function | None) -> bool:
    """Whether FastAPI calls it for each request; a cache keeps what it made."""
    if function is None or any("cache" in dotted(getattr(item, "func", item)) for item in function.decorators):
        return False
    given = [(call, call.argument(0, "dependency")) for call in module.named("Depends", "Security")]
    return any(node is not None and function in module.function_of(node, call.spot) for call, node in given)


def _invoked(module: Any, function: Function | None, level: int) -> bool:
    """Whether AWS Lambda runs a function with each invocation: the handler, or a helper that it calls."""
    if function is not None and is_handler(function):
        return True
    if function is None or level > 3 or any("cache" in dotted(getattr(item, "func", item)) for item in function.decorators):
        return False
    return any(_anew(module, site) and _invoked(module, site.function, level + 1) for site in module.call_sites(function))


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


def _view(function: Function | None) -> str | None:
    """The name of what answers requests in Django, and as a class in other frameworks; None when it does not."""
    if function is None or function.outer is not None:
        return None
    if function.cls is not None:
        answers = function.name in _METHODS and any(last_name(base).endswith(_VIEWS) for base in function.cls.bases)
        return f"{function.cls.name}.{function.name}" if answers else None
    decorated = any(
        isinstance(one, cst.Call) and last_name(one.func) in ("api_view", "require_http_methods") for one in function.decorators
    )
    decorated = decorated or any(
        last_name(one) in ("csrf_exempt", "login_required", "require_POST", "require_GET") for one in function.decorators
    )
    django = [param.annotation for param in function.params[:1]]
    decorated = decorated or any(
        one is not None and last_name(getattr(one, "annotation", one)) in ("HttpRequest", "WSGIRequest") for one in django
    )
    return function.name if decorated and function.params and function.params[0].name == "request" else None
