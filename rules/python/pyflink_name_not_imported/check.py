"""Classes of PyFlink's that a module names although nothing in it gives them that name."""

from __future__ import annotations

import builtins
from collections.abc import Iterator
from functools import cache
from typing import Any

import libcst as cst

from shoal.catalogue import pyflink
from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.flow import tried
from shoal.python.tree import Scope, Spot, dotted, sure_imports


def check(job: Job, context: Context) -> Iterator[Finding]:
    """One finding for each name, where it is first used. Not in notebooks: other cells, and notebooks that they run, give names, too."""
    module = context.module
    if module.notebook or not any(dotted(node.module).startswith("pyflink.") for node, _ in sure_imports(module.tree)):
        return
    said: set[str] = set()
    for node, spot in _used(module):
        name = node.value
        if name in said or name not in _exported() or _is_bound(name, spot) or tried(spot):
            continue
        said.add(name)
        where = min((one for one, names in pyflink().items() if name in names and one[0] != ":"), key=lambda one: (len(one), one))
        message = f"the program stops here with a NameError: nothing in this module is called {name}; PyFlink has it in {where}"
        yield context.finding(message, module.place(node, spot))


@cache
def _exported() -> frozenset[str]:
    """The classes that PyFlink's modules have, by their names."""
    names = {name for module, found in pyflink().items() if module[0] != ":" for name in found}
    return frozenset(name for name in names if name[:1].isupper() and not hasattr(builtins, name))


def _used(module: Any) -> Iterator[tuple[cst.Name, Spot]]:
    """Names that are called, asked for a member, handed to a call or derived from."""
    for call in module.calls:
        for node in (call.node.func, *(arg.value for arg in call.node.args)):
            while isinstance(node, cst.Attribute):
                node = node.value
            if isinstance(node, cst.Name):
                yield node, call.spot
    for cls in module.classes:
        yield from ((base, cls.spot) for base in cls.bases if isinstance(base, cst.Name))


def _is_bound(name: str, spot: Spot) -> bool:
    """Whether a name is given anything around a spot, before it or behind; by a star, too."""
    scope: Scope | None = spot.scope
    while scope is not None:
        if name in scope.bindings or scope.stars:
            return True
        scope = scope.outer
    return False
