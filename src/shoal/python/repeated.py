"""Streaming queries that one statement starts several times: in a helper that is called more than once, or in each round of a loop."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import libcst as cst

from shoal.python.tree import Call, Function, descend, last_name
from shoal.python.values import Known

if TYPE_CHECKING:
    from shoal.python.module import Module

_WAITS = ("awaitTermination", "awaitAnyTermination", "processAllAvailable", "stop")
_PUTS_TOGETHER = frozenset({"join", "str", "format", "rstrip", "strip", "Path"})


def started_again(module: Module, function: Function) -> list[Call]:
    """Two calls of a helper of which the second surely follows the first, for another stream, while its query runs; or one call in a loop that does so."""
    sites = module.call_sites(function)
    return both(module, sites) or [site for site in sites if started_in_loop(module, site) is not None][:1]


def both(module: Module, sites: Sequence[Call]) -> list[Call]:
    """Two calls of which the second surely follows the first, for another stream, while its query runs."""
    for first, second in pairwise(sites):
        if first.function is not second.function or first.spot.arms != second.spot.arms or first.spot.in_loop():
            continue
        if [code(arg) for arg in first.node.args] == [code(arg) for arg in second.node.args]:
            continue
        between = range(first.spot.statement, second.spot.statement)
        if not any(call.spot.statement in between for call in module.named(*_WAITS)):
            return [first, second]
    return []


def ends(calls: Sequence[Call]) -> bool:
    """Whether a query that such calls start is waited for or stopped by one of them, or ends by itself."""
    return any(
        call.name in _WAITS or (call.name == "trigger" and (call.has_stars or call.has_keyword("once", "availableNow"))) for call in calls
    )


def started_in_loop(module: Module, call: Call) -> cst.For | None:
    """The loop that comes to a call in each round, each for something else, and stops nothing that the rounds before started; None where that is not so.

    A loop with a `break` tries until it works; one over a `range` counts tries.
    """
    loop = call.spot.loop
    if not isinstance(loop, cst.For) or call.spot.sometimes or (isinstance(loop.iter, cst.Call) and last_name(loop.iter.func) == "range"):
        return None
    rounds = {node.value for node in descend(loop.target) if isinstance(node, cst.Name)}
    uses = any(isinstance(node, cst.Name) and node.value in rounds for node in descend(loop.body))
    breaks = any(isinstance(node, (cst.Break, cst.Return)) for node in descend(loop.body))
    inside = [other for other in module.calls if loop in other.spot.loops and other.function is call.function]
    return loop if uses and not breaks and not ends(inside) else None


def the_same(module: Module, node: Any, call: Call, sites: Sequence[Call] = (), loop: cst.For | None = None) -> str:
    """A text that is the same in each round of a loop, or for each of some calls of the function around, as it is written; empty where it may differ."""
    value = module.value(node, call.spot)
    if isinstance(value, Known):
        return value.value if isinstance(value.value, str) else ""
    if not _same(module, node, call, sites, loop, 0):
        return ""
    for _ in range(3):  # what a name stands for says more
        found = [binding for binding, _ in module.lookup(node.value, call.spot)] if isinstance(node, cst.Name) else []
        node = found[0].node if len(found) == 1 and found[0].kind == "assign" and found[0].node is not None else node
    return code(node).lstrip("fFrR").strip("\"'") if isinstance(node, cst.FormattedString) else code(node)


def _same(module: Module, node: Any, call: Call, sites: Sequence[Call], loop: cst.For | None, level: int) -> bool:
    if level > 6:
        return False
    for part in descend(node):
        if isinstance(part, cst.Call) and last_name(part.func) not in _PUTS_TOGETHER:
            return False
        if isinstance(part, cst.Name) and not _name_same(module, part, call, sites, loop, level):
            return False
    return True


def _name_same(module: Module, name: cst.Name, call: Call, sites: Sequence[Call], loop: cst.For | None, level: int) -> bool:
    found = [binding for binding, _ in module.lookup(name.value, call.spot)]
    if len(found) != 1:
        return not found  # a builtin, an attribute's or a keyword's name
    binding = found[0]
    if binding.kind in ("import", "function", "class"):
        return True
    if loop is not None:
        return binding.kind == "param" or (binding.kind == "assign" and loop not in binding.spot.loops)
    if binding.kind == "param":
        given = [_given(call.function, site, name.value) for site in sites]
        if len(given) == 1 and given[0] is not None:
            return _same(module, given[0], sites[0], (), sites[0].spot.loop, level + 1)
        texts = {code(node) for node in given if node is not None}
        return None not in given and len(texts) == 1
    if binding.kind != "assign" or binding.spot.function is not call.function:
        return binding.kind == "assign" and not binding.spot.in_loop()
    return _same(module, binding.node, call, sites, loop, level + 1)


def _given(function: Function | None, site: Call, name: str) -> Any:
    """What a call gives a parameter; None where that may be another thing each time, or is not known."""
    if function is None or site.has_stars:
        return None
    names = [param.name for param in function.params if param.name != function.self_name]
    node = site.argument(names.index(name) if name in names else 99, name)
    return None if node is None or any(isinstance(part, cst.Call) for part in descend(node)) else node


def code(node: cst.CSTNode) -> str:
    return cst.Module([]).code_for_node(node)
