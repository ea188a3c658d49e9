"""What one call in a loop or in a helper of its own stands for: the entries of a dict set one by one, the statements of a list run in turn."""

from __future__ import annotations

from typing import Any

import libcst as cst

from shoal.python.expressions import pairs_of
from shoal.python.module import Module
from shoal.python.tree import Binding, Spot, dotted, key_of
from shoal.python.values import Mapping, Pair, Sequence
from shoal.records import NamedTuple

_MANY = 200
_TRIMMED = frozenset({"strip", "lstrip", "rstrip"})


class Rounds(NamedTuple):
    """The pairs that a call is given; `open` when there may be more."""

    pairs: tuple[Pair, ...]
    open: bool


def pairs(module: Module, key: Any, value: Any, spot: Spot) -> Rounds:
    """The keys and values of `set(key, value)`, where these are what a loop runs over, or parameters of the function around."""
    if isinstance(value, cst.Call) and isinstance(value.func, cst.Name) and value.func.value == "str" and len(value.args) == 1:
        value = value.args[0].value
    loop = _loop(module, key, spot)
    if loop is not None:
        return _of_loop(module, loop, key, value, spot)
    return _of_parameters(module, key, value, spot)


def texts(module: Module, node: Any, spot: Spot) -> list[tuple[Any, Spot]]:
    """The expressions whose texts `execute(node)` is given in turn: `node` itself, unless it is what a loop runs over."""
    while _method(node) in _TRIMMED and not node.args:
        node = node.func.value
    loop = _loop(module, node, spot)
    if loop is None:
        return [(node, spot)]
    over, at = loop.node, loop.spot
    if _called(over) == "enumerate" and loop.detail == 1 and over.args:
        return _elements(module, over.args[0].value, at)
    if loop.detail is None:
        return _elements(module, over, at)
    found = _entries(module, over, at)
    return [((pair.key_node, pair.value_node)[loop.detail], pair.spot) for pair in found.pairs] if loop.detail in (0, 1) else []


def _loop(module: Module, node: Any, spot: Spot) -> Binding | None:
    """The loop around a spot that gives a name its value, if nothing else may have given it one."""
    if not isinstance(node, cst.Name):
        return None
    around = None
    for binding, _ in module.lookup(node.value, spot):
        if binding.kind != "for":
            return None
        at = binding.spot
        if around is None and at.scope is spot.scope and spot.arms[: len(at.arms)] == at.arms:
            around = binding
    return around


def _of_loop(module: Module, loop: Binding, key: Any, value: Any, spot: Spot) -> Rounds:
    over = loop.node
    if loop.detail == 0:
        other = _loop(module, value, spot)
        if other is not None and other.node is over and other.detail == 1:
            return _entries(module, over, loop.spot)
    elif loop.detail is None and isinstance(value, cst.Subscript):
        index = key_of(value)
        if isinstance(index, cst.Name) and index.value == key.value:
            if _method(over) == "keys":
                over = over.func.value
            found = module.value(over, loop.spot)
            if isinstance(found, Mapping) and dotted(over) and dotted(over) == dotted(value.value):
                return _of_mapping(found)
    return Rounds((), True)


def _of_parameters(module: Module, key: Any, value: Any, spot: Spot) -> Rounds:
    """`def put(key, value): conf.set_string(key, value)`, for each call of it."""
    function = spot.function
    if function is None or not isinstance(key, cst.Name) or not isinstance(value, cst.Name):
        return Rounds((), True)
    taken = [function.param(name.value) for name in (key, value)]
    if any(param is None for param in taken) or any(
        binding.kind != "param" for name in (key, value) for binding, _ in module.lookup(name.value, spot)
    ):
        return Rounds((), True)
    sites = module.call_sites(function)
    made = []
    for site in sites[:_MANY]:
        given = [module.given(site, function, param) for param in taken if param is not None]
        name = module.string(given[0], site.spot) if given[0] is not None else ""
        if name and given[1] is not None:
            made.append(Pair(name, given[0], given[1], site.spot))
    return Rounds(tuple(made), not made or len(made) < len(sites))


def _entries(module: Module, over: Any, at: Spot) -> Rounds:
    """What `for a, b in …` runs over: the entries of a dict, or pairs."""
    if _method(over) == "items":
        found = module.value(over.func.value, at)
        return _of_mapping(found) if isinstance(found, Mapping) else Rounds((), True)
    value = module.value(over, at)
    if not isinstance(value, Sequence):
        return Rounds((), True)
    made = pairs_of(module, value._replace(nodes=value.nodes[:_MANY], open=value.open or len(value.nodes) > _MANY))
    return Rounds(made.pairs, made.open)


def _of_mapping(found: Mapping) -> Rounds:
    """Of entries with the same key the last counts."""
    last = {pair.key: pair for pair in found.pairs if pair.key is not None}
    return Rounds(tuple(last.values())[:_MANY], found.open or any(pair.key is None for pair in found.pairs))


def _elements(module: Module, over: Any, at: Spot) -> list[tuple[Any, Spot]]:
    """What `for a in …` runs over: a list's elements, a dict's values, a text cut into pieces (which is read whole)."""
    for _ in range(10):
        if _method(over) == "split":
            return [(over.func.value, at)]
        if isinstance(over, (cst.ListComp, cst.GeneratorExp)):
            spot = module.tree.comprehensions.get(id(over))
            return texts(module, over.elt, spot) if spot is not None else []
        bindings = module.lookup(over.value, at) if isinstance(over, cst.Name) else []
        if len(bindings) != 1 or bindings[0][0].kind != "assign" or isinstance(module.value(over, at), Sequence):
            break
        over, at = bindings[0][0].node, bindings[0][0].spot
    if _method(over) == "values":
        found = module.value(over.func.value, at)
        return [(pair.value_node, pair.spot) for pair in found.pairs[:_MANY]] if isinstance(found, Mapping) else []
    value = module.value(over, at)
    return [(node, value.spot) for node in value.nodes[:_MANY]] if isinstance(value, Sequence) else []


def _method(node: Any) -> str:
    return node.func.attr.value if isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute) else ""


def _called(node: Any) -> str:
    return node.func.value if isinstance(node, cst.Call) and isinstance(node.func, cst.Name) else ""
