"""`await self.producer.start()` of aiokafka, or kafka-python's constructor, in a `try` that only logs that no broker answered, and leaves the service without its client."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding, Place
from shoal.python import clients, handlers
from shoal.python.flow import catches_all, caught, reraises
from shoal.python.tree import ASSIGNMENTS, Call, descend, dotted, kept_in, targets
from shoal.python.values import names

_RAISED = names("KafkaError KafkaConnectionError NoBrokersAvailable KafkaTimeoutError KafkaException OSError ConnectionError")
# What only asks whether there is a broker.
_ASKS = pattern(r"(?i)check|health|ping|probe|test|wait|ready|available|verify")
_SENDS = ("send", "send_and_wait")

# What a handler does that leaves the service without its client; one that did not start may be stopped.
_TELLS = handlers.TELLS | {"stop"}


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for call, kept, kind in _starts(module):
        function = call.function
        if call.spot.in_loop() or (function is not None and _ASKS.search(function.name)):
            continue
        handler = next((one for one in clients.handlers(call) if catches_all(one) or set(caught(one)) & _RAISED), None)
        if handler is None or reraises(handler) or not _only_notes(handler) or _raises_behind(module, call, handler):
            continue
        if _all_there_is(call, handler):
            continue
        if not _gives_up(handler) and _tried_again(module, call):
            continue
        sends = kind.endswith("Producer")
        lost = "what it is given to send is dropped" if sends else "no record is taken"
        message = f"when no broker answers here, this is only logged, and the service runs on without its {'producer' if sends else 'consumer'} until it is started anew: {lost} (let it raise, or try again)"
        related = [(module.call_place(call), "raises when no broker answers"), *_dropped(module, kept, handler)]
        yield context.finding(message, module.handler_place(handler), related)


def _starts(module: Any) -> Iterator[tuple[Call, str, str]]:
    """The calls that raise where no broker answers, with what keeps the client, for others to use, and its type."""
    for call in module.named("start"):
        kind = module.receiver_type(call) if call.use == "awaited" else ""
        kept = _kept(module, call) if kind.startswith("aiokafka.") and call.receiver_node is not None else ""
        if kept:
            yield call, kept, kind
    for call, client in clients.made(module, clients.PRODUCERS | clients.CONSUMERS):
        kept = next(map(dotted, kept_in(module.tree, call)), "")
        if client.type.startswith("kafka.") and kept and _is_kept(kept, call):
            yield call, kept, client.type


def _kept(module: Any, start: Call) -> str:
    """What keeps a client that is started: a field or global, or the one that it is put into behind that, in the same `try`."""
    name = dotted(start.receiver_node)
    if not name or _is_kept(name, start):
        return name
    for node, _, spot in module.tree.of_kind(*ASSIGNMENTS):
        beside = spot.function is start.function and spot.guarded == start.spot.guarded and spot.statement > start.spot.statement
        kept = dotted(targets(node)[0]) if beside and node.value is not None and dotted(node.value) == name else ""
        if kept and _is_kept(kept, start):
            return kept
    return ""


def _is_kept(name: str, call: Call) -> bool:
    """Whether a name is a field, or a global."""
    return "." in name or call.function is None or name in call.spot.scope.uses_globals


def _only_notes(handler: Any) -> bool:
    """Whether a handler does no more than tell, and note that there is no client."""
    if not handlers.called(handler.body) <= _TELLS:
        return False
    for part in descend(handler.body):
        if isinstance(part, cst.Return) and part.value is not None:
            return False
        if isinstance(part, (cst.Continue, cst.Raise)):
            return False
    return True


def _all_there_is(call: Call, handler: Any) -> bool:
    """Whether the loop that uses the client is tried, too: it ends here, and nothing runs on without it."""
    tried = clients.tried(call.spot, handler)
    return tried is not None and any(isinstance(part, (cst.For, cst.While)) for part in descend(tried.body))


def _gives_up(handler: Any) -> bool:
    """Whether a handler says that there shall be no client: `self.disabled = True`."""
    return any(
        isinstance(part, cst.Assign) and isinstance(part.value, cst.Name) and part.value.value == "True" for part in descend(handler.body)
    )


def _raises_behind(module: Any, call: Call, handler: Any) -> bool:
    """Whether something is raised behind the `try`: what is not there is asked for."""
    return any(
        isinstance(one.node, cst.Raise)
        and one.spot.function is call.function
        and one.spot.statement > call.spot.statement
        and not clients.inside(one.spot, handler)
        for one in module.tree.statements
    )


def _tried_again(module: Any, call: Call) -> bool:
    """Whether the function that starts the client is called again and again, or by what sends."""
    sites = module.call_sites(call.function) if call.function is not None else []
    return any(site.spot.in_loop() or (site.function is not None and _sends(module, site.function)) for site in sites)


def _sends(module: Any, function: Any) -> bool:
    return any(call.name in _SENDS and module.receiver_type(call) in clients.PRODUCERS for call in function.calls)


def _dropped(module: Any, kept: str, handler: Any) -> list[tuple[Place, str]]:
    """Where a function that sends returns when there is no client."""
    noted = {dotted(target) for part in descend(handler.body) if isinstance(part, cst.Assign) for target in targets(part)} | {kept}
    for statement in module.tree.statements:
        node, function = statement.node, statement.spot.function
        if not isinstance(node, cst.If) or function is None or not _sends(module, function):
            continue
        asks = any(isinstance(part, (cst.Name, cst.Attribute)) and dotted(part) in noted for part in (node.test, *descend(node.test)))
        if asks and any(isinstance(part, cst.Return) for part in descend(node.body)):
            return [(module.place(node.test, statement.spot), "then gives up what it is given")]
    return []
