"""Dicts that a program hands to Kafka Connect: those with a `connector.class`."""

from __future__ import annotations

from typing import Any

import libcst as cst

from shoal.python.facts import Sheet, text_value
from shoal.python.tree import Spot, descend
from shoal.python.values import Mapping

_CLASS = "connector.class"


def collect(sheet: Sheet) -> None:
    for statement in sheet.module.tree.statements:
        node = statement.node
        if isinstance(node, (cst.Assign, cst.AnnAssign, cst.Expr, cst.Return)):
            dicts = [found for found in descend(node) if isinstance(found, cst.Dict)]
            changeable = isinstance(node.value, cst.Dict)  # kept in a variable, or given to other code
            for found in dicts:
                if _item(found, _CLASS) is not None:
                    _connector(sheet, found, _name(sheet, dicts, found, statement.spot), statement.spot, changeable)


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
