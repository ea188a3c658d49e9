"""What PyFlink's builders are given, where all of it is in sight."""

from __future__ import annotations

from typing import Any

import libcst as cst

from shoal.python.tree import Call
from shoal.python.values import Object


def given(module: Any, root: Object) -> dict[str, list[Call]] | None:
    """The calls on a builder by the method's name, on any path, with a `?` before it where they may be on another object.

    None where code that is not here may give it more.
    """
    if not isinstance(root.node, cst.Call) or not root.call.endswith(".builder"):
        return None
    found: dict[str, list[Call]] = {}
    for call in module.calls:
        if call.name.startswith("set_"):
            on = module.receivers(call)
            if any(made.root is root for made in on):
                found.setdefault(call.name, []).append(call)
            elif not on and call.receiver_node is not None:
                found.setdefault("?" + call.name, []).append(call)
        for arg in call.node.args:
            if any(made.root is root and made.type.endswith("Builder") for made in module.objects(arg.value, call.spot)):
                return None
    return found


def value_schema(module: Any, serializer: Object) -> str:
    """The class of the schema that a `KafkaRecordSerializationSchema` writes values with; empty where it is not known."""
    calls = given(module, serializer.root)
    found = calls.get("set_value_serialization_schema", []) if calls is not None else []
    return schema(module, found[0].argument(0, "value_serialization_schema"), found[0]) if len(found) == 1 else ""


def schema(module: Any, node: Any, call: Call) -> str:
    """The name of PyFlink's class that an expression makes an object of, or the method of it that is called first; empty where that is not known."""
    spot = call.spot
    if isinstance(node, cst.Name):
        ways = [binding for binding, _ in module.lookup(node.value, spot)]
        if len(ways) != 1 or ways[0].kind != "assign":
            return ""
        node, spot = ways[0].node, ways[0].spot
    while isinstance(node, cst.Call):
        name: str = module.qualified(Call(node, "", spot, None, ""))
        if name:
            return name if name.startswith("pyflink.") else ""
        node = node.func.value if isinstance(node.func, cst.Attribute) else None
    return ""
