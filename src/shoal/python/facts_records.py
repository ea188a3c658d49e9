"""Records that a program makes, dicts of at least three fields, with the fields that are a time as ISO 8601 writes it: `datetime.isoformat()`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import libcst as cst

from shoal.facts import Usage
from shoal.lazy import pattern
from shoal.python.facts import Sheet
from shoal.python.tree import descend, dotted

if TYPE_CHECKING:
    from shoal.python.module import Module
    from shoal.python.tree import Spot

_FEWEST = 3
_FORMAT = pattern(r"[^T]*(?:%d|%F)T(?:%H|%T).*")
_DEEPEST = 4


def collect(sheet: Sheet) -> None:
    module = sheet.module
    for node, _, spot in module.tree.of_kind(cst.Assign, cst.AnnAssign, cst.Expr, cst.Return):
        for found in descend(node):
            given = _fields(found) if isinstance(found, cst.Dict) else {}
            times = {name: value for name, value in given.items() if _iso(module, value, spot)} if len(given) >= _FEWEST else {}
            if times:
                detail = json.dumps({"fields": list(given), "times": list(times)})
                sheet.out.facts.append(Usage("iso-times", detail, module.place(next(iter(times.values())), spot)))


def _fields(record: cst.Dict) -> dict[str, Any]:
    """What the fields of a dict are given, by name, as far as these are written out."""
    return {
        str(element.key.evaluated_value): element.value
        for element in record.elements
        if isinstance(element, cst.DictElement) and isinstance(element.key, cst.SimpleString)
    }


def _iso(module: Module, node: Any, spot: Spot, level: int = 0) -> bool:
    """Whether an expression is surely a date, a `T` and a time of day; with or without a time zone behind it."""
    if level > _DEEPEST:
        return False
    if isinstance(node, cst.Name):
        found = module.lookup(node.value, spot)
        return bool(found) and all(binding.kind == "assign" and _iso(module, binding.node, binding.spot, level + 1) for binding, _ in found)
    if isinstance(node, cst.BinaryOperation):
        return isinstance(node.operator, cst.Add) and _iso(module, node.left, spot, level + 1)
    if isinstance(node, cst.FormattedString):
        first = node.parts[0] if node.parts else None
        return isinstance(first, cst.FormattedStringExpression) and _iso(module, first.expression, spot, level + 1)
    if not isinstance(node, cst.Call) or not isinstance(node.func, cst.Attribute):
        return False
    name, given = node.func.attr.value, [arg.value for arg in node.args]
    if name == "isoformat":
        of_time = all(arg.keyword is not None and arg.keyword.value == "timespec" for arg in node.args)
        return of_time and not dotted(node.func).endswith(("today.isoformat", "date.isoformat"))
    if name == "strftime":
        return len(given) == 1 and _FORMAT.fullmatch(module.string(given[0], spot)) is not None
    return (
        name == "replace"
        and len(given) == 2
        and module.string(given[0], spot) not in ("", "T")
        and _iso(module, node.func.value, spot, level + 1)
    )
