"""Functions that send a record to Kafka and keep to themselves that this failed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import libcst as cst

from shoal.model import Place
from shoal.python import clients, handlers
from shoal.python.flow import reraises
from shoal.python.tree import Call

if TYPE_CHECKING:
    from shoal.python.module import Module
    from shoal.python.tree import Function


# How a program notes that something was sent: `store.mark_published(event.id)`.
MARKS = re.compile(r"(?i)^(?:mark|set|flag)_?(?:as_)?(?:\w*_)?(?:publish|sent|processed|deliver|dispatched|done)\w*$")


def kept_quiet(module: Module, function: Function) -> tuple[Call, Any] | None:
    """The call by which a function sends a record and hears of its failure, and the handler that only logs it; None where anybody else may learn of it."""
    if any(node is not None for node, _ in function.returns) or function.yields:
        return None
    for call in function.calls:
        handler = next((one for one in clients.handlers(call) if clients.catches_failures(one)), None) if hears(module, call) else None
        if (
            handler is None
            or call.spot.in_loop()
            or reraises(handler)
            or not handlers.only_logs(module, handler, call.spot.scope, cst.Return)
        ):
            continue
        tried: Any = next(node for node in call.spot.guarded if handler in getattr(node, "handlers", ()))
        if not any(arm.kind == "except" for arm in call.spot.arms) and tried.orelse is None:
            return call, handler
    return None


def hears(module: Module, call: Call) -> bool:
    """Whether a call raises when the brokers do not take a record: `await producer.send_and_wait(…)`, `future.get(timeout=10)`."""
    kinds = {obj.type for obj in module.receivers(call)}
    return (call.name == "send_and_wait" and call.use == "awaited" and "aiokafka.Producer" in kinds) or (
        call.name == "get" and "kafka.Future" in kinds
    )


def unheard(module: Module, function: Function) -> Call | None:
    """The call by which a function produces a record of whose delivery it hears nothing, and can give nothing back: confluent-kafka without a callback."""
    if any(node is not None for node, _ in function.returns) or function.yields or "on_delivery" in module.raw:
        return None
    for call in function.calls:
        if (
            call.name != "produce"
            or call.has_stars
            or call.has_keyword("on_delivery", "callback")
            or call.argument(4, "on_delivery") is not None
        ):
            continue
        producers = [obj for obj in module.receivers(call) if obj.type == "confluent.Producer"]
        if producers and all(other.use == "dropped" for one in producers for other in clients.uses(module, one, "flush")):
            return call
    return None


def quiet(module: Module, function: Function) -> tuple[Place, str] | None:
    """Where a function sends a record of whose failure its caller does not hear, and how that is."""
    found = kept_quiet(module, function)
    if found is not None:
        return module.call_place(found[0]), "it only logs that it failed"
    call = unheard(module, function)
    return (module.call_place(call), "it asks for no delivery report") if call is not None else None
