"""A plain function for a Combine that is wrong on its own results: `CallableWrapperCombineFn` calls it on them (read in Beam 2.64)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.tree import Function, descend, dotted, last_name, targets

_COMBINES = ("CombinePerKey", "CombineGlobally", "CombineValues")
_LISTS = ("list", "tuple", "sorted")
_MEANS = ("mean", "fmean", "median", "average", "stdev", "pstdev", "variance", "pvariance", "std", "var")
_LIBRARIES = ("statistics.", "numpy.")


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for call in module.named(*_COMBINES):
        node = call.argument(0, "fn")
        if node is None or not module.qualified(call).startswith("apache_beam."):
            continue
        functions = module.function_of(node, call.spot)
        why = _given(module, node, call.spot) if not functions else _wrong(module, functions[0]) if len(functions) == 1 else ""
        if why:
            message = f"Beam calls this function again on its own results (after some ten values, and where parts are merged): {why}; take a combiner of Beam's own or a CombineFn"
            yield context.finding(message, module.call_place(call), covers=[module.covers(call)])


def _given(module: Any, node: Any, spot: Any) -> str:
    """What is wrong with a function of Python or of a library."""
    name = dotted(node)
    if name in ("len", *_LISTS) and not module.lookup(name, spot):
        return _NUMBER if name == "len" else _NESTED
    symbol = getattr(module.value(node, spot), "name", "")
    return _MEAN if isinstance(symbol, str) and symbol.startswith(_LIBRARIES) and last_name(node) in _MEANS else ""


_NUMBER = "the number of values becomes the number of parts"
_NESTED = "lists are put into lists"
_MEAN = "a mean of means is none"


def _wrong(module: Any, function: Function) -> str:
    """What is wrong with what a function makes of its values; empty where that cannot be told."""
    if not function.params or function.yields:
        return ""
    parts = list(descend(function.body))
    bound = _bound(parts)
    values = {function.params[0].name}
    for name, node in bound.items():  # `values = list(values)`
        if node is not None and _values(node, values) and not isinstance(node, cst.ListComp):
            values.add(name)
    results = [function.body] if function.is_lambda else [node for node, _ in function.returns if node is not None]
    whole = [_resolved(node, bound) for node in results]
    if any(isinstance(node, cst.Dict) for node in whole):
        asked = _asked(parts, values, whole) if not _filled(parts, results) else ""
        return f"{asked!r}, which it asks its values for, is not in what it gives" if asked else ""
    if whole and all(map(_number, whole)) and (asked := _asked(parts, values, [])):
        return f"it asks its values for {asked!r}, and gives a number"
    for node in whole:
        if isinstance(node, cst.BinaryOperation) and isinstance(node.operator, cst.Divide):
            above, below = _resolved(node.left, bound), _resolved(node.right, bound)
            if _calls(above, "sum", values) and _calls(below, "len", values):
                return _MEAN
        if _calls(node, "len", values):
            return _NUMBER
        if _values(node, values):
            return _NESTED
    return ""


def _bound(parts: list[Any]) -> dict[str, Any]:
    """Names that are given something once, and what; None for one that is given something more often, or in a loop."""
    found: dict[str, Any] = {}
    for part in parts:
        for target in targets(part) if isinstance(part, (cst.Assign, cst.AnnAssign, cst.AugAssign, cst.For)) else ():
            if isinstance(target, cst.Name):
                once = target.value not in found and isinstance(part, (cst.Assign, cst.AnnAssign))
                found[target.value] = part.value if once else None
    return found


def _resolved(node: Any, bound: dict[str, Any]) -> Any:
    if isinstance(node, cst.IfExp):
        node = node.body
    return (bound.get(node.value) or node) if isinstance(node, cst.Name) else node


def _values(node: Any, values: set[str]) -> bool:
    """Whether an expression is a list of the values as they are."""
    if isinstance(node, cst.ListComp):
        of = node.for_in
        return (
            of.inner_for_in is None
            and isinstance(of.iter, cst.Name)
            and of.iter.value in values
            and isinstance(of.target, cst.Name)
            and isinstance(node.elt, cst.Name)
            and node.elt.value == of.target.value
        )
    return any(_calls(node, name, values) for name in _LISTS)


def _calls(node: Any, name: str, values: set[str]) -> bool:
    """`len(values)`, `len(list(values))`."""
    if not isinstance(node, cst.Call) or dotted(node.func) != name or not node.args:
        return False
    of = node.args[0].value
    return (isinstance(of, cst.Name) and of.value in values) or (name not in _LISTS and _values(of, values))


def _number(node: Any) -> bool:
    """Whether an expression is surely a number: `sum(…)`, `a / b`."""
    if isinstance(node, cst.BinaryOperation):
        return isinstance(node.operator, (cst.Divide, cst.FloorDivide, cst.Multiply))
    return isinstance(node, (cst.Integer, cst.Float)) or (
        isinstance(node, cst.Call) and dotted(node.func) in ("sum", "len", "round", "float", "int")
    )


def _filled(parts: list[Any], results: list[Any]) -> bool:
    """Whether a dictionary that is given gets keys elsewhere: `result["paid"] = …`, `result.update(…)`."""
    held = {node.value for node in results if isinstance(node, cst.Name)}
    kept = (part.value for part in parts if isinstance(part, (cst.Subscript, cst.Attribute)))
    return any(isinstance(of, cst.Name) and of.value in held for of in kept)


def _asked(parts: list[Any], values: set[str], results: list[Any]) -> str:
    """A key that a function asks each value for, and that none of the dictionaries it gives has."""
    given: set[str] = set()
    for node in results:
        pairs = node.elements if isinstance(node, cst.Dict) else [None]
        for pair in pairs:
            key = pair.key if isinstance(pair, cst.DictElement) else None
            if not isinstance(key, cst.SimpleString):
                return ""  # what is given is not all seen
            given.add(str(key.evaluated_value))
    each = {
        part.target.value
        for part in parts
        if isinstance(part, (cst.For, cst.CompFor))
        and isinstance(part.target, cst.Name)
        and isinstance(part.iter, cst.Name)
        and part.iter.value in values
    }
    apart = any(isinstance(part, cst.ComparisonTarget) and isinstance(part.operator, (cst.In, cst.NotIn)) for part in parts)
    if apart or any(isinstance(part, cst.Call) and dotted(part.func) in ("isinstance", "type", "hasattr") for part in parts):
        return ""  # it tells what it is given apart
    asked = [name for part in parts if (name := _key(part, each)) and name not in given]
    return asked[0] if asked else ""


def _key(part: Any, each: set[str]) -> str:
    """The key in `ride["fare"]` and `ride.get("fare", 0)`."""
    if isinstance(part, cst.Subscript):
        of, keys = part.value, [one.slice.value for one in part.slice if isinstance(one.slice, cst.Index)]
    elif isinstance(part, cst.Call) and isinstance(part.func, cst.Attribute) and part.func.attr.value == "get":
        of, keys = part.func.value, [arg.value for arg in part.args[:1]]
    else:
        return ""
    key = keys[0] if len(keys) == 1 and isinstance(of, cst.Name) and of.value in each else None
    return str(key.evaluated_value) if isinstance(key, cst.SimpleString) else ""
