"""`WebSocketApp.run_forever()` beside a Kafka producer, once and without `reconnect`: it returns when the connection ends (websocket-client 1.9.2).

Also a connection that is opened once and read for ever: `async with websockets.connect(…)`, `create_connection(…)`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.python import clients
from shoal.python.flow import endless
from shoal.python.tree import ASSIGNMENTS, Call, dotted, given_to, last_name
from shoal.python.values import Known

# What opens it again in a way that is not looked at any further.
_AGAIN = pattern(r"(?i)re_?connect|@retry|tenacity|backoff|restart")
_BYTEWAX = pattern(r"(?m)^\s*(?:from|import)\s+bytewax\b")
_CONNECTS = ("websockets.connect", "websockets.client.connect", "websockets.asyncio.client.connect", "websocket.create_connection")
_APP = "WebSocketApp"


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    dataflow = _BYTEWAX.search(module.raw) is not None
    if module.notebook or not (dataflow or clients.held(module, clients.PRODUCERS)):
        return
    yield from _opened_once(context, module, dataflow)
    for call in module.named("run_forever"):
        if call.has_stars or call.has_keyword("dispatcher") or not _of_app(module, call):
            continue
        given = call.argument(-1, "reconnect")
        value = module.value(given, call.spot) if given is not None else None
        if given is not None and not (isinstance(value, Known) and not value.value):
            continue
        if (given is None and _AGAIN.search(module.raw)) or not _once(module, call, 0):
            continue
        message = "when the other side ends the connection, run_forever returns, and the program ends without a failure: nothing is sent to Kafka any more (reconnect=5)"
        yield context.finding(message, module.call_place(call), covers=[module.covers(call)])


def _opened_once(context: Context, module: Any, dataflow: bool) -> Iterator[Finding]:
    """Connections whose messages a loop without an end takes, and which nothing opens again when they end."""
    if _AGAIN.search(module.raw):
        return
    for call in module.named("connect", "create_connection"):
        if module.qualified(call) not in _CONNECTS or not _once(module, call, 0, dataflow):
            continue
        kept = _kept(module, call)
        if kept and _taken_for_ever(module, call, kept):
            then = "no item comes any more" if dataflow else "nothing is sent to Kafka any more"
            message = f"when the other side ends the connection, as each does now and then, the loop over its messages ends or raises, and nothing opens it again: {then} (a loop around it, with a pause)"
            yield context.finding(message, module.call_place(call), covers=[module.covers(call)])


def _kept(module: Any, call: Call) -> str:
    """The variable that a connection is given to, by `with … as` or by an assignment."""
    node = module.tree.statements[call.spot.statement].node
    if isinstance(node, cst.With):
        named = next((item.asname for item in node.items if item.item is call.node), None)
        return dotted(named.name) if named is not None else ""
    return dotted(node.targets[0].target) if isinstance(node, cst.Assign) and node.value is call.node else ""


def _taken_for_ever(module: Any, call: Call, name: str) -> bool:
    """Whether the same function takes messages from it in a `while True`, or in an `async for`."""
    receives = (
        other
        for other in module.named("recv")
        if other.function is call.function and dotted(other.receiver_node) == name and any(map(endless, other.spot.loops))
    )
    return next(receives, None) is not None or any(
        isinstance(one.node, cst.For) and one.node.asynchronous is not None and dotted(one.node.iter) == name
        for one in module.tree.statements
        if one.spot.function is call.function
    )


def _of_app(module: Any, call: Call) -> bool:
    """Whether a call is on what `WebSocketApp(…)` made, here or under the same attribute."""
    node = call.receiver_node
    if isinstance(node, cst.Call):
        return last_name(node.func) == _APP
    name = dotted(node) if node is not None else ""
    made = [one.node.value for one in given_to(module.tree, name) if isinstance(one.node, ASSIGNMENTS)]
    return bool(name and made) and all(isinstance(one, cst.Call) and last_name(one.func) == _APP for one in made)


def _once(module: Any, call: Call, level: int, dataflow: bool = False) -> bool:
    """Whether the program comes to a call once, as its last work: in no loop, on no thread, and from no handler that opens it again.

    What nothing calls in a module with a `dataflow` is what Bytewax calls, once for each worker.
    """
    if call.spot.in_loop() or level > 4 or any(arm.kind == "except" for arm in call.spot.arms):
        return False
    if call.function is None:
        return True
    sites = module.call_sites(call.function)
    return (dataflow and not sites) or (len(sites) == 1 and _once(module, sites[0], level + 1, dataflow))
