"""A consumer of a group without `close()`, `stop()` or `with` in the module, or with one below a loop that has no way out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python import clients
from shoal.python.names_elsewhere import is_foreign
from shoal.python.tree import ASSIGNMENTS, Call, dotted, targets


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    if module.notebook or module.tree.attribute_names & {"close", "stop"}:
        return
    closing = [call for call in module.named("close", "stop") if clients.come_to(module, call)]
    blocks = {block.place.span: block for block in job.select("kafka", ("consumer",), ("python",))}
    made = clients.made(module, clients.CONSUMERS)
    named = {id(call.node): call for call in module.calls}
    there = [(named.get(id(getattr(obj.node, "node", None))), obj) for obj in clients.received(module, clients.CONSUMERS)]
    given = [(call, obj) for call, obj in there if call is not None]  # what a function of another module makes
    for call, consumer in [*made, *given]:
        block = blocks.get(module.call_place(call).span)
        taken = _taken(module, call, consumer)
        if taken is None:
            continue
        if clients.library(consumer) == "confluent-kafka":  # which refuses to be made without a group
            shares = (call, consumer) in given or bool(clients.uses(module, consumer, "subscribe"))
        else:
            shares = block is not None and job.written(block, "group.id") is not None
        if not shares:
            continue
        iterates = any(one.function is not None and one.function.name == "__next__" for one in clients.uses(module, consumer, "poll"))
        closes = clients.uses(module, consumer, "close", "stop")
        dead = [one for one in closes if one not in closing]
        if not (iterates or clients.record_loops(module, consumer)) or clients.uses(module, consumer, "__exit__", "unsubscribe"):
            continue
        uncalled = bool(closes) and all(_called_by_nobody(module, one, call) for one in closes)
        if (len(dead) < len(closes) and not uncalled) or any(_may_be(module, other, call) for other in closing):
            continue
        if clients.handed_on(module, consumer) or _is_held_by_a_base(module, call):
            continue
        if uncalled:
            closer = closes[0].function.qualname if closes[0].function is not None else ""
            message = (
                f"never closed: nobody here calls {closer}(), and the group notices only after session.timeout.ms that this member is gone"
            )
            related = [(module.call_place(closes[0]), "closed here alone")]
            yield context.finding(message, module.call_place(taken), related, covers=[module.covers(taken)])
            continue
        if dead:
            message = "never come to: the loop above has no way out but an exception, and then the group notices only after session.timeout.ms that this member is gone (close it in a finally)"
            yield context.finding(
                message, module.call_place(dead[0]), [(module.call_place(taken), "made here")], covers=[module.covers(dead[0])]
            )
            continue
        message = "never closed: the group notices only after session.timeout.ms that this member is gone, and its partitions are read by nobody until then"
        related = [(module.call_place(call), "made here")] if taken is not call else []
        yield context.finding(message, module.call_place(taken), related, covers=[module.covers(taken)])


def _may_be(module: Any, other: Call, made: Call) -> bool:
    """Whether a `close()` on something that cannot be followed may be on a consumer: not in a field of another class, nor where a method of the module's own is called."""
    if other.receiver_node is None or module.receivers(other) or module.qualified(other) or module.target(other) is not None:
        return False
    function, maker = other.function, made.function
    if function is None or maker is None or function.cls is None or maker.cls is None or function.cls is maker.cls:
        return True
    return not dotted(other.receiver_node).startswith(f"{function.self_name}.")


def _called_by_nobody(module: Any, close: Call, made: Call) -> bool:
    """Whether a consumer is closed in a method of the object that made it alone, and the program that makes such an object never calls that."""
    function = close.function
    if function is None or function.cls is None or made.function is None or made.function.cls is not function.cls:
        return False
    cls = function.cls
    if cls.bases or function.name.startswith("__"):  # `run()` of a thread is called by another name
        return False
    objects = module.named(cls.name)
    return (
        bool(objects)
        and all(_stays(module, one) for one in objects)
        and not module.call_sites(function)
        and not any(
            call is not close and module.target(call) is None and _may_be(module, call, made) for call in module.named(function.name)
        )
        and function.name not in module.tree.attribute_names
    )


def _stays(module: Any, made: Call) -> bool:
    """Whether a name of the function is all that ever holds an object, and is used for nothing but its methods."""
    name, function = module.assigned(made), made.function
    if not name or function is None or name in made.spot.scope.uses_globals:
        return False
    on = [call for call in function.calls if isinstance(call.receiver_node, cst.Name) and call.receiver_node.value == name]
    return len(on) == clients.reads(module, name, made.spot.scope)


def _is_held_by_a_base(module: Any, call: Call) -> bool:
    """Whether a consumer is kept in a field of an object of which a class in another module of the project has the methods, too."""
    cls = call.function.cls if call.function is not None else None
    node = module.tree.statements[call.spot.statement].node
    if cls is None or not any(isinstance(target, cst.Attribute) for target in (targets(node) if isinstance(node, ASSIGNMENTS) else ())):
        return False
    return not all(map(is_foreign, module.written_bases(cls)))


def _taken(module: Any, call: Call, consumer: Any) -> Call | None:
    """The call that makes a consumer for its own function, or the first of those of the function that only makes it; None where it is somebody else's to close."""
    if call.use == "returned" and call.function is not None:
        sites = [site for site in clients.makers(module, call, consumer) if site is not call]
        return (
            sites[0]
            if sites and len(sites) == len(module.call_sites(call.function)) and all(site.use == "assigned" for site in sites)
            else None
        )
    return None if call.use in ("entered", "returned", "argument", "yielded") else call
