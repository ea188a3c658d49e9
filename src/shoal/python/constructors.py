"""Which class or factory method makes what an argument is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import libcst as cst

from shoal.python.tree import Call, Spot
from shoal.python.values import Symbol

if TYPE_CHECKING:
    from shoal.python.module import Module


def constructor(module: Module, node: Any, call: Call) -> tuple[str, Call | None]:
    """The name of the class or factory method an argument calls, and that call."""
    if isinstance(node, cst.Name):
        for binding, _ in module.lookup(node.value, call.spot):
            if binding.kind == "assign" and isinstance(binding.node, cst.Call):
                return constructor(module, binding.node, Call(call.node, "", binding.spot, None, ""))
    if not isinstance(node, cst.Call):
        return "", None
    value = module.value(node.func, call.spot)
    name = value.last if isinstance(value, Symbol) else ""
    return name, Call(node, name, call.spot, None, "argument")


def constructors(module: Module, node: Any, spot: Spot, level: int = 0) -> list[tuple[str, Call | None]]:
    """As `constructor`, for each value that a name or a conditional expression may have."""
    found: list[tuple[str, Call | None]] = []
    if isinstance(node, cst.IfExp) and level < 3:
        test = module.constant(node.test, spot)
        for way, child in ((True, node.body), (False, node.orelse)):
            if test is not (not way):
                found += constructors(module, child, spot, level + 1)
    elif isinstance(node, cst.Name) and level < 3:
        for binding, _ in module.lookup(node.value, spot):
            if binding.kind == "assign":
                found += constructors(module, binding.node, binding.spot, level + 1)
    return found or [constructor(module, node, Call(node, "", spot, None, ""))]
