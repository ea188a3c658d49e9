"""`close` of a client in a loop whose next round uses it.

Tried with kafka-python 2.0.2, 2.2.15 and 3.0.12, confluent-kafka 2.1.1 and 2.16.1, aiokafka 0.12 and 0.14: each call of `_USES` raises then, but for aiokafka's `send` of
0.14, which waits for ever, and `commit` where there is nothing to commit. `flush` of a closed producer comes back at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python import clients
from shoal.python.tree import Call, descend
from shoal.python.values import names

# What a client does no more, and what ends it.
_USES = {
    "kafka.Producer": ("close", names("send")),
    "kafka.Consumer": ("close", names("poll commit seek")),
    "confluent.Consumer": ("close", names("poll consume commit")),
    "aiokafka.Producer": ("stop", names("send send_and_wait")),
    "aiokafka.Consumer": ("stop", names("getone getmany commit")),
}
_PULSAR = names("receive batch_receive send send_async acknowledge")
_MADE = names("subscribe create_producer create_reader")


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for call in module.named("close", "stop"):
        loop = call.spot.loop
        if loop is None:
            continue
        after = module.flow(call.function).after(module.tree.statements[call.spot.statement].node, failing=False)
        used = next((one for one in _uses(module, call, loop) if id(_statement(module, one)) in after), None)
        if used is not None:
            waits = used.name in ("send", "send_and_wait") and module.receiver_type(used) == "aiokafka.Producer"
            effect = "raises, or waits for ever with aiokafka 0.14" if waits else "raises"
            message = f"the loop goes on with what is closed here: its next round {effect}, and so does each one after it"
            yield context.finding(message, module.call_place(call), [(module.call_place(used), "used again")], covers=[module.covers(call)])
        elif id(loop) in after and isinstance(loop, cst.For) and _reads(module, call, loop):
            message = "the loop over the consumer goes on with what is closed here: it raises, or ends, behind this record"
            yield context.finding(message, module.call_place(call), covers=[module.covers(call)])


def _statement(module: Any, call: Call) -> Any:
    return module.tree.statements[call.spot.statement].node


def _uses(module: Any, call: Call, loop: Any) -> Iterator[Call]:
    """The calls in a loop that need what is closed in it, and what is not made anew there."""
    inside = {id(node) for node in descend(loop.body)}
    found = module.receivers(call)
    if len(found) == 1 and found[0].type in _USES and isinstance(found[0].node, cst.Call):
        ends, wanted = _USES[found[0].type]
        maker = found[0].spot.function
        again = maker is not None and any(id(site.node) in inside for site in module.call_sites(maker))
        if call.name != ends or again or id(found[0].node) in inside or _bound_anew(module, call, inside):
            return
        yield from (one for one in clients.uses(module, found[0], *wanted) if id(one.node) in inside and one.function is call.function)
    elif not found and call.name == "close" and "pulsar" in module.raw:
        client = _pulsar(module, call)
        if client is None or id(client) in inside:
            return
        for one in module.named(*_PULSAR):
            made = _binding(module, one.receiver_node, one.spot)
            mine = made is client or (_is(made, _MADE) and _binding(module, made.func.value, one.spot) is client)
            if mine and id(one.node) in inside and id(made) not in inside and one.function is call.function:
                yield one


def _pulsar(module: Any, call: Call) -> Any:
    """The call that makes a client of Pulsar, or a producer or consumer of one, that is closed."""
    made = _binding(module, call.receiver_node, call.spot)
    client = _binding(module, made.func.value, call.spot) if _is(made, _MADE) else made
    known = next((one for one in module.calls if one.node is client), None)
    return made if known is not None and module.qualified(known) == "pulsar.Client" else None


def _is(node: Any, wanted: Any) -> bool:
    return isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute) and node.func.attr.value in wanted


def _binding(module: Any, node: Any, spot: Any) -> Any:
    """What a name is bound to, in one place alone."""
    bindings = [binding for binding, _ in module.lookup(node.value, spot)] if isinstance(node, cst.Name) else []
    return bindings[0].node if len(bindings) == 1 and bindings[0].kind == "assign" else None


def _bound_anew(module: Any, call: Call, inside: set[int]) -> bool:
    """Whether the loop gives the name another client."""
    node = call.receiver_node
    name = node.value if isinstance(node, cst.Name) else ""
    return bool(name) and any(id(binding.node) in inside for binding, _ in module.lookup(name, call.spot))


def _reads(module: Any, call: Call, loop: cst.For) -> bool:
    closed = module.receivers(call)
    over = module.objects(loop.iter, call.spot)
    return (
        len(closed) == 1 and closed[0].type in ("kafka.Consumer", "aiokafka.Consumer") and any(one.node is closed[0].node for one in over)
    )
