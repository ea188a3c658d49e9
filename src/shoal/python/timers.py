"""Timers of keyed functions, and the state that their callback clears."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.python.tree import Call, ClassInfo, Function

ELEMENTS = ("process_element", "process_element1", "process_element2")
# A timer at a rounded time is one for many records.
ROUNDED = (cst.FloorDivide, cst.Modulo)


def unasked(module: Any) -> Iterator[tuple[Function, ClassInfo]]:
    """The `on_timer` of Flink's functions that does the same at each timer, whichever it is, with its class, which inherits nothing of the module."""
    for callback, where in module.contexts.running("timer"):
        cls = callback.cls
        if where.engine != "flink" or where.through or callback.name != "on_timer" or cls is None or len(module.parents(cls)) > 1:
            continue
        if not _asks_for_its_time(module, callback):
            yield callback, cls


def _asks_for_its_time(module: Any, callback: Function) -> bool:
    """Whether a callback looks at the time it is called for, or at anything before it decides."""
    name = next(iter(callback.given_names), "")
    code = module.tree.node.code_for_node(callback.body)
    return re.search(rf"\b{re.escape(name)}\b", code) is not None or any(spot.conditional for _, spot in callback.returns)


def kept_for_records(module: Any, cls: ClassInfo, cleared: Call) -> Call | None:
    """The call by which what is called for a record keeps something in the state that is cleared."""
    receiver = cleared.receiver_node
    if not isinstance(receiver, cst.Attribute):
        return None
    name = receiver.attr.value
    for call in module.named("update", "put", "add", "put_all", "add_all"):
        in_element = call.function is not None and call.function.cls is cls and call.function.name in ELEMENTS
        if in_element and isinstance(call.receiver_node, cst.Attribute) and call.receiver_node.attr.value == name:
            return call  # type: ignore[no-any-return]
    return None
