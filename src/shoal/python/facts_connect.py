"""Dicts that a program hands to Kafka Connect: those with a `connector.class`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import libcst as cst

from shoal.python.clients import reads
from shoal.python.facts import Sheet, text_value
from shoal.python.tree import Scope, Spot, descend, key_of, targets
from shoal.python.values import Mapping

if TYPE_CHECKING:
    from shoal.python.module import Module

_CLASS = "connector.class"
# Calls that leave a dict as it is: it is sent, made text of, or shown.
_READING = ("post", "put", "request", "dumps", "print", "debug", "info", "warning", "error", "exception")
_DEEPEST = 2


def collect(sheet: Sheet) -> None:
    for statement in sheet.module.tree.statements:
        node = statement.node
        if isinstance(node, (cst.Assign, cst.AnnAssign, cst.Expr, cst.Return)):
            dicts = [found for found in descend(node) if isinstance(found, cst.Dict)]
            # kept in a variable that other code may put more into, or given to it
            changeable = isinstance(node.value, cst.Dict) and not _only_sent(sheet, node, statement.spot)
            for found in dicts:
                if _item(found, _CLASS) is not None:
                    _connector(sheet, found, _name(sheet, dicts, found, statement.spot), statement.spot, changeable)


def _only_sent(sheet: Sheet, node: cst.Assign | cst.AnnAssign | cst.Expr | cst.Return, spot: Spot) -> bool:
    """Whether the one variable that a dict is kept in is only sent, printed and asked for its name: all there is stands in the dict."""
    given = targets(node) if isinstance(node, (cst.Assign, cst.AnnAssign)) else []
    return len(given) == 1 and isinstance(given[0], cst.Name) and _only_read(sheet.module, given[0].value, spot.scope)


def _only_read(module: Module, name: str, scope: Scope, depth: int = 0) -> bool:
    """Whether a name of a scope has one meaning, and every use of it is one that leaves the dict as it is."""
    if len(scope.bindings.get(name, ())) > 1:
        return False
    read = 0
    for call in module.tree.calls:
        if call.name in _READING:
            read += sum(_names(arg.value, name) for arg in call.node.args if not isinstance(arg.value, cst.Call))
        elif depth < _DEEPEST and any(isinstance(arg.value, cst.Name) and arg.value.value == name for arg in call.node.args):
            if (function := module.target(call)) is None:
                return False
            for param in function.params:
                node = module.given(call, function, param)
                if isinstance(node, cst.Name) and node.value == name and _only_read(module, param.name, function.scope, depth + 1):
                    read += 1
    for statement in module.tree.statements:
        if isinstance(statement.node, cst.Assign) and isinstance(statement.node.value, cst.Subscript):
            read += _names(statement.node.value, name) if _is_name_of(statement.node.value, name) else 0
    return read == reads(module, name, scope)


def _is_name_of(node: cst.Subscript, name: str) -> bool:
    """Whether an expression is `connector["name"]`, which is a text."""
    key = key_of(node)
    return (
        isinstance(node.value, cst.Name)
        and node.value.value == name
        and isinstance(key, cst.SimpleString)
        and key.evaluated_value == "name"
    )


def _names(node: Any, name: str) -> int:
    """How often a name stands in an expression, calls within it left out."""
    return sum(1 for one in descend(node, (cst.Call,)) if isinstance(one, cst.Name) and one.value == name)


def _connector(sheet: Sheet, node: cst.Dict, name: str, spot: Spot, changeable: bool) -> None:
    value = sheet.module.value(node, spot)
    made = value.get(_CLASS) if isinstance(value, Mapping) else None
    if made is None or not isinstance(value, Mapping):
        return
    traits = (("class", text_value(sheet.module, sheet.module.value(made.value_node, made.spot)) or ""),)
    block = sheet.block(
        "kafka-connect", "connector", sheet.span(made.key_node, made.spot), name, traits=traits, open=value.open or changeable
    )
    sheet.mapping(block, value)


def _name(sheet: Sheet, dicts: list[cst.Dict], inner: cst.Dict, spot: Spot) -> str:
    """The connector's name: in the dict itself, or beside it in the one that holds it as its `config`."""
    around = next((outer for outer in dicts if _item(outer, "config") is inner), inner)
    name = _item(around, "name") or _item(inner, "name")
    return sheet.module.string(name, spot) if name is not None else ""


def _item(node: cst.Dict, key: str) -> Any:
    for element in node.elements:
        if isinstance(element, cst.DictElement) and isinstance(element.key, cst.SimpleString) and element.key.evaluated_value == key:
            return element.value
    return None
