"""Functions that send a record to Kafka and keep to themselves that this failed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import libcst as cst

from shoal.lazy import pattern
from shoal.model import Place
from shoal.python import clients, handlers
from shoal.python.flow import caught, reraises
from shoal.python.tree import Call, descend, last_name, unawaited

if TYPE_CHECKING:
    from shoal.python.module import Module
    from shoal.python.tree import Function, Spot


_SENDS = pattern(r"(?i)publish|send|produce|emit")
# How a program notes that something was sent: `store.mark_published(event.id)`.
MARKS = pattern(r"(?i)^(?:mark|set|flag)_?(?:as_)?(?:\w*_)?(?:publish|sent|processed|deliver|dispatched|done)\w*$")
# The same by a field: `event.processed = True`, `row.sent_at = now()`, `event.status = "PUBLISHED"`.
_FIELD = pattern(r"(?i)^(?:is_)?(?:published|processed|sent|dispatched|delivered)(?:_at|_on)?$")
_STATUS = pattern(r"(?i)\b(?:published|processed|sent|dispatched|delivered|done)\b")


def marks(module: Module) -> list[tuple[Any, Spot]]:
    """What notes that something was sent, as nodes with their spots, in source order."""
    found: list[tuple[Any, Spot]] = [
        (call.node, call.spot) for call in module.named(*{call.name for call in module.calls if MARKS.match(call.name)})
    ]
    for target, value, spot in module.tree.attribute_sets:
        name, text = target.attr.value, cst.Module([]).code_for_node(value) if isinstance(value, cst.CSTNode) else ""
        noted = _FIELD.match(name) and text not in ("False", "None", "0", "")
        if noted or (name in ("status", "state") and _STATUS.search(text.replace("_", " "))):
            found.append((target, spot))
    return sorted(found, key=lambda one: one[1].statement)


def kept_quiet(module: Module, function: Function) -> tuple[Call, Any] | None:
    """The call by which a function sends a record and hears of its failure, and the handler that only logs it; None where anybody else may learn of it."""
    if any(node is not None for node, _ in function.returns) or function.yields:
        return None
    for call in function.calls:
        handler = (
            next((one for one in clients.handlers(call) if clients.catches_failures(one) or _of_cloud(one, call)), None)
            if hears(module, call)
            else None
        )
        if handler is None or reraises(handler):
            continue
        if call.spot.in_loop():
            if _gives_up(function, call, handler):
                return call, handler
            continue
        if not handlers.only_logs(module, handler, call.spot.scope, (cst.Return, cst.AugAssign)) or _asked(module, handler):
            continue
        tried = clients.tried(call.spot, handler)
        if not any(arm.kind == "except" for arm in call.spot.arms) and tried.orelse is None:
            return call, handler
    return None


def _asked(module: Module, handler: Any) -> bool:
    """Whether what a handler counts is compared with anything in the module: somebody may act on it."""
    kept = [part.target for part in descend(handler.body) if isinstance(part, cst.AugAssign)]
    counted = {last_name(one.value if isinstance(one, cst.Subscript) else one) for one in kept}
    if not counted:
        return False
    tests = (
        part
        for statement in module.tree.statements
        for part in descend(statement.node)
        if isinstance(part, (cst.Comparison, cst.If, cst.While))
    )
    asked = (part if isinstance(part, cst.Comparison) else part.test for part in tests)
    return any(last_name(one) in counted for test in asked for one in descend(test) if isinstance(one, (cst.Name, cst.Attribute)))


# What a handler may do between one attempt and the next, besides what it calls.
_WAITS = (cst.AugAssign, cst.If, cst.Continue, cst.Pass, cst.Break)


def _gives_up(function: Function, call: Call, handler: Any) -> bool:
    """Whether a handler stands in a loop that tries a few times, asks whether this was the last of them, and tells nobody but the log that it failed as well."""
    loop = call.spot.loops[-1]
    tries = loop.iter if isinstance(loop, cst.For) else loop.test if isinstance(loop, cst.While) else None
    bounded = isinstance(tries, cst.Comparison) or (isinstance(tries, cst.Call) and handlers.method(tries) == "range")
    if (
        not bounded
        or not any(isinstance(part, cst.Try) and handler in part.handlers for part in descend(loop.body))
        or loop.orelse is not None
    ):
        return False
    if not any(isinstance(part, cst.If) for part in handler.body.body):
        return False  # whether it is the last time is left to whoever reads the log
    if not all(
        isinstance(part, _WAITS) or _tells(part)
        for part in descend(handler.body)
        if isinstance(part, (cst.BaseSmallStatement, cst.BaseCompoundStatement))
    ):
        return False
    behind = [one for one in function.calls if one.spot.statement > call.spot.statement and loop not in one.spot.loops]
    return all(one.name in handlers.TELLS for one in behind) and not any(isinstance(part, cst.Raise) for part in descend(function.body))


def _tells(line: Any) -> bool:
    """Whether a statement only logs, or waits: `logger.error(…)`, `await asyncio.sleep(…)`, `last = error`."""
    if isinstance(line, cst.Assign):
        return all(isinstance(one.target, cst.Name) for one in line.targets) and not any(
            isinstance(part, cst.Call) for part in descend(line.value)
        )
    made = unawaited(line.value) if isinstance(line, cst.Expr) else None
    return isinstance(made, cst.Call) and handlers.method(made) in handlers.TELLS


def told(module: Module, function: Function, levels: int = 1) -> tuple[Place, str] | None:
    """Where a function that sends a record only logs that this failed, and says so in nothing but what it gives back: `return False`."""
    given = [node for node, _ in function.returns if node is not None]
    if function.yields or not given or not all(isinstance(node, cst.Name) and node.value in ("True", "False", "None") for node in given):
        inner = given[0] if len(given) == 1 and len(function.returns) == 1 and levels else None  # `return await self.publish(…)`
        call = next((one for one in function.calls if one.node is unawaited(inner)), None)
        target = module.target(call) if call is not None else None
        return told(module, target, levels - 1) if target is not None and target is not function else None
    for call in function.calls:
        handler = next((one for one in clients.handlers(call) if clients.catches_failures(one)), None) if hears(module, call) else None
        if handler is None or call.spot.in_loop() or reraises(handler):
            continue
        answers = [node for node, spot in function.returns if clients.inside(spot, handler)]
        no = all(isinstance(node, cst.Name) and node.value in ("False", "None") for node in answers if node is not None)
        if answers and no and handlers.only_logs(module, handler, call.spot.scope, cst.Return):
            return module.handler_place(handler), "it only logs that it failed, and gives back False"
    return None


def hears(module: Module, call: Call) -> bool:
    """Whether a call raises when a record is not taken: `await producer.send_and_wait(…)`, `future.get(timeout=10)`, `kinesis.put_record(StreamName=…)`."""
    if to_kinesis(call):
        return True
    kinds = {obj.type for obj in module.receivers(call)}
    return (call.name == "send_and_wait" and call.use == "awaited" and "aiokafka.Producer" in kinds) or (
        call.name == "get" and "kafka.Future" in kinds
    )


def to_kinesis(call: Call) -> bool:
    """Whether a call gives one record to a stream of Kinesis, which raises when that fails; of several it tells in its answer."""
    return call.name == "put_record" and any(
        arg.keyword is not None and arg.keyword.value in ("StreamName", "StreamARN") for arg in call.node.args
    )


def _of_cloud(handler: Any, call: Call) -> bool:
    return to_kinesis(call) and any(name in ("ClientError", "BotoCoreError") for name in caught(handler))


def unheard(module: Module, function: Function) -> tuple[Call, str] | None:
    """The call by which a function produces a record of whose delivery its caller hears nothing, and why: confluent-kafka without a callback, or with one that
    only logs."""
    if any(node is not None for node, _ in function.returns) or function.yields:
        return None
    for call in function.calls:
        if call.name != "produce" or call.has_stars:
            continue
        report = call.argument(5, "callback") or call.argument(4, "on_delivery")
        if report is not None:
            why = "its delivery report is only logged"
            if not _only_told(module, report, call.spot):
                continue
        elif "on_delivery" in module.raw:
            continue
        else:
            why = "it asks for no delivery report"
        producers = [obj for obj in module.receivers(call) if obj.type == "confluent.Producer"]
        if producers and all(other.use == "dropped" for one in producers for other in clients.uses(module, one, "flush")):
            return call, why
    return None


def _only_told(module: Module, report: Any, spot: Spot) -> bool:
    """Whether what is called with a delivery report only tells of it: it notes nothing, and raises nothing."""
    found = module.function_of(report, spot)
    return len(found) == 1 and all(
        not isinstance(part, (cst.Raise, cst.Assign, cst.AnnAssign, cst.AugAssign, cst.Yield, cst.Await))
        and not (isinstance(part, cst.Call) and handlers.method(part) not in handlers.TELLS)
        for part in descend(found[0].body)
    )


def quiet(module: Module, function: Function, levels: int = 2) -> tuple[Place, str] | None:
    """Where a function sends a record of whose failure its caller does not hear, and how that is; it may leave that to another function."""
    found = kept_quiet(module, function)
    if found is not None:
        return module.call_place(found[0]), "it only logs that it failed"
    produced = unheard(module, function)
    if produced is not None:
        return module.call_place(produced[0]), produced[1]
    if not levels or function.yields or any(node is not None for node, _ in function.returns):
        return None
    for call in function.calls:
        if call.use in ("dropped", "awaited") and _SENDS.search(call.name) and not call.spot.guarded:
            target = module.target(call)
            told = quiet(module, target, levels - 1) if target is not None and target is not function else _inherited(module, call)
            if told is not None:
                return told
    return None


def _inherited(module: Module, call: Call) -> tuple[Place, str] | None:
    """The same of a method that a class has from one of another module: `self.publish(…)`."""
    from shoal.python import elsewhere

    cls, owner = call.function.cls if call.function is not None else None, call.receiver_node
    if cls is None or call.function is None or not isinstance(owner, cst.Name) or owner.value != call.function.self_name:
        return None
    name = f"{cls.name}.{call.name}"
    if any(one.qualname == name for one in module.functions):
        return None
    return elsewhere.function_said(module, name, elsewhere.at_the_end(module), elsewhere.QUIET, quiet)
