"""`create_future()` that is awaited and never completed, and delivery callbacks with a path on which the future is neither completed nor failed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.flow import NORMAL
from shoal.python.tree import Call, Function, descend, dotted, last_name

_FUTURES = frozenset({"asyncio.Future", "concurrent.futures.Future"})
_COMPLETE = frozenset({"set_result", "set_exception", "cancel"})
_ASK = frozenset({"done", "cancelled"})
_KNOWN = _COMPLETE | _ASK | {"result", "exception", "add_done_callback", "remove_done_callback"}
_WAIT = frozenset({"wait_for", "shield", "wrap_future"})


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for call in module.named("create_future", "Future"):
        if call.function is None or (call.name == "Future" and module.qualified(call) not in _FUTURES):
            continue
        name, nodes = module.assigned(call), list(descend(call.function.body))
        waits = [node for node in nodes if _waits(node, name)] if name else []
        if not waits:
            continue
        if not _stays(nodes, name):
            if (kept := _only_filed(module, nodes, name)) is not None:
                message = f"nothing in this file completes {name}, which waits in {dotted(kept)} to be completed: who waits for it here may never get a result"
                related = [(module.call_place(call), "made here"), (module.place(kept, call.spot), "kept here")]
                yield context.finding(message, module.place(waits[0], call.spot), related, confidence="low")
            continue
        completing = [node for node in nodes if _is(node, name, _COMPLETE)]
        if not completing:
            message = f"nothing completes {name}: who waits for it here never gets a result"
            bare = {id(node.value) for node in nodes if isinstance(node, cst.Expr)}
            sure = "low" if id(waits[0]) in bare else "high"  # `await forever` keeps a program running
            yield context.finding(message, module.place(waits[0], call.spot), [(module.call_place(call), "made here")], confidence=sure)
            continue
        yield from _callbacks(context, module, call, name, completing)


def _callbacks(context: Context, module: Any, made: Call, name: str, completing: list[Any]) -> Iterator[Finding]:
    """Functions that Kafka's clients call once for a record: of confluent-kafka also where it failed, of kafka-python one for each."""
    for call in module.named("produce", "add_callback"):
        given = call.argument(3, "callback") or call.argument(99, "on_delivery") if call.name == "produce" else call.argument(0)
        for callback in module.function_of(given, call.spot) if given is not None and call.function is made.function else ():
            inside = {id(node) for node in descend(callback.body)}
            if not all(id(node) in inside for node in completing):
                continue  # something else may complete it
            if call.name == "add_callback":
                if "kafka" in module.raw and not any(other.function is made.function for other in module.named("add_errback", "add_both")):
                    message = f"a record that cannot be sent leaves {name} open: only add_callback completes it, and a failure calls add_errback's function"
                    yield context.finding(message, module.call_place(call), [(module.call_place(made), "made here")])
            elif not callback.is_lambda and module.flow(callback).escapes(None, _completed(module, callback, name), NORMAL):
                message = f"a path through {callback.name} leaves {name} neither completed nor failed: whoever waits for it waits for ever"
                yield context.finding(message, module.def_place(callback), [(module.call_place(made), "made here")])


def _completed(module: Any, callback: Function, name: str) -> list[Any]:
    """The statements of a callback that complete the future, and the conditions on whether it is completed already."""
    found = []
    for statement in module.tree.statements:
        if statement.spot.function is not callback:
            continue
        node = statement.node
        asked = node.test if isinstance(node, (cst.If, cst.While)) else None
        within, wanted = (asked, _ASK) if asked is not None else (node, _COMPLETE)
        if (asked is not None or isinstance(node, cst.BaseSmallStatement)) and any(_is(part, name, wanted) for part in descend(within)):
            found.append(node)
    return found


def _stays(nodes: list[Any], name: str) -> bool:
    """Whether nothing but the function, and those within it, gets hold of the future: it is only asked, awaited and completed.

    What has other methods (`wrapper.success(value)`) is a future of another library.
    """
    known = 1  # where it gets its name
    for node in nodes:
        known += _awaits(node, name) or _is(node, name, _KNOWN)
    return known == sum(_named(node, name) for node in nodes)


def _only_filed(module: Any, nodes: list[Any], name: str) -> Any:
    """The dict that a future is put into (`self.waiting[key] = future`), if nobody else gets it and the module completes no future at all."""
    stores = [node for node in nodes if isinstance(node, cst.Assign) and _named(node.value, name)]
    kept = [node.targets[0].target for node in stores if len(node.targets) == 1]
    known = 1 + len(stores) + sum(_awaits(node, name) or _is(node, name, _KNOWN) for node in nodes)
    if len(kept) != 1 or not isinstance(kept[0], cst.Subscript) or known != sum(_named(node, name) for node in nodes):
        return None
    return None if any(word in module.raw for word in _COMPLETE) else kept[0].value


def _waits(node: Any, name: str) -> bool:
    return _awaits(node, name) or (isinstance(node, cst.Call) and _is(node.func, name, frozenset({"result"})))


def _awaits(node: Any, name: str) -> bool:
    if isinstance(node, cst.Await):
        return _named(node.expression, name)
    return isinstance(node, cst.Call) and last_name(node.func) in _WAIT and bool(node.args) and _named(node.args[0].value, name)


def _is(node: Any, name: str, attributes: frozenset[str]) -> bool:
    return isinstance(node, cst.Attribute) and node.attr.value in attributes and _named(node.value, name)


def _named(node: Any, name: str) -> bool:
    return isinstance(node, cst.Name) and node.value == name
