"""`assign([…])` and `subscribe([…])` with the variable of the loop around, on a consumer that nothing reads from in that loop."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python import clients
from shoal.python.tree import Call, beginning, descend, dotted
from shoal.python.values import Sequence, names

# What may be done with a consumer in the loop without its assignment of that turn being of use.
_NEUTRAL = names(
    "assign subscribe seek seek_to_beginning seek_to_end list_topics partitions_for_topic topics get_watermark_offsets offsets_for_times beginning_offsets "
    "end_offsets committed"
)
_OFFSETS = names("committed end_offsets beginning_offsets offsets_for_times get_watermark_offsets")
_LOST = {"assign": "partitions", "subscribe": "topics"}


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for call in module.named("assign", "subscribe"):
        loops = [index for index, arm in enumerate(call.spot.arms) if arm.kind == "loop"]
        if not loops or call.use not in ("dropped", "awaited") or not call.node.args or call.receiver_node is None:
            continue
        loop, below = call.spot.arms[loops[-1]].test, call.spot.arms[loops[-1] + 1 :]
        if not isinstance(loop, cst.For) or below or not _turns(module, call, loop) or _leaves(loop):
            continue
        taken = _taken(module, loop)
        given = [node for arg in call.node.args for node in descend(arg.value)]
        if not any(isinstance(node, cst.Name) and node.value in taken for node in given) or any(
            isinstance(node, cst.Attribute) and node.attr.value in ("assignment", "subscription") for node in given
        ):
            continue
        if not _same(call, loop) or not _consumer(module, call) or not _unused(module, call, loop) or _asked_only(module, call):
            continue
        message = f"{call.name}() replaces what it set in the turn before: after the loop the consumer has the last of the {_LOST[call.name]} alone (put the list together, and call it once)"
        yield context.finding(message, module.call_place(call), covers=[module.covers(call)])


def _same(call: Call, loop: cst.For) -> bool:
    """Whether it is one and the same consumer in all turns: a name, or a field of one, that gets no value in the loop."""
    name = beginning(call.receiver_node, (cst.Attribute,))
    bindings = call.spot.scope.bindings.get(name, ())
    return bool(name) and not any(arm.test is loop for binding in bindings for arm in binding.spot.arms)


def _asked_only(module: Any, call: Call) -> bool:
    """Whether the function has the consumer for itself, and asks for offsets with it, but for no records, which go by what is assigned."""
    receiver, function = call.receiver_node, call.function
    if not isinstance(receiver, cst.Name) or function is None or receiver.value not in call.spot.scope.bindings:
        return False
    if any(receiver.value == param.name for param in function.params):
        return False
    body = function.node.body
    uses = sum(isinstance(node, cst.Name) and node.value == receiver.value for node in descend(body))
    asked = sum(
        isinstance(node, cst.Attribute)
        and isinstance(node.value, cst.Name)
        and node.value.value == receiver.value
        and node.attr.value in _NEUTRAL | {"close"}
        for node in descend(body)
    )
    made = sum(
        isinstance(node, cst.AssignTarget) and isinstance(node.target, cst.Name) and node.target.value == receiver.value
        for node in descend(body)
    )
    return uses == asked + made and any(other.name in _OFFSETS and dotted(other.receiver_node) == receiver.value for other in module.calls)


def _consumer(module: Any, call: Call) -> bool:
    """Whether this is a consumer, known by its type or by what it is given."""
    found = module.receivers(call)
    if found:
        return all(obj.type in clients.CONSUMERS for obj in found)
    return any(
        other.name == "TopicPartition" and module.qualified(other).split(".")[0] in ("confluent_kafka", "kafka", "aiokafka")
        for other in module.named("TopicPartition")
        if other.spot.arms == call.spot.arms and other.function is call.function
    )


def _turns(module: Any, call: Call, loop: cst.For) -> bool:
    """Whether a loop may have more than one turn."""
    value = module.value(loop.iter, call.spot)
    return not (isinstance(value, Sequence) and not value.open and len(value.nodes) < 2)


def _leaves(loop: cst.For) -> bool:
    """Whether the loop may end before all its turns, as a search or a second try does."""
    return any(isinstance(node, (cst.Break, cst.Return)) for node in descend(loop.body, (cst.FunctionDef, cst.Lambda)))


def _taken(module: Any, loop: cst.For) -> set[str]:
    """The names that have another value in each turn: the loop's own, and what is made of them, but for lists that grow."""
    taken = {node.value for node in descend(loop.target) if isinstance(node, cst.Name)}
    for statement in module.tree.statements:
        node = statement.node
        if isinstance(node, cst.Assign) and any(arm.test is loop for arm in statement.spot.arms):
            used = {part.value for part in descend(node.value) if isinstance(part, cst.Name)}
            made = {one.target.value for one in node.targets if isinstance(one.target, cst.Name)}
            if used & taken and not used & made:
                taken |= made
    return taken


def _unused(module: Any, call: Call, loop: cst.For) -> bool:
    """Whether nothing in the loop reads from the consumer, or hands it on."""
    name = dotted(call.receiver_node)
    for other in module.calls:
        if not any(arm.test is loop for arm in other.spot.arms):
            continue
        if dotted(other.receiver_node) == name and other.name not in _NEUTRAL:
            return False
        if any(dotted(arg.value) == name for arg in other.node.args):
            return False
    return not any(isinstance(node, cst.For) and dotted(node.iter) == name for node in descend(loop.body))
