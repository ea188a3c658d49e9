"""A `Configuration()` of PyFlink that a name holds on which options are set, and that nothing else is done with."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.clients import reads
from shoal.python.tree import ASSIGNMENTS, Call, targets

_MADE = ("pyflink.common.Configuration", "pyflink.common.configuration.Configuration")


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    # with an argument it may be the environment's own: Configuration(j_configuration=get_j_env_configuration(…))
    made = {id(call.node) for call in module.named("Configuration") if module.qualified(call) in _MADE and not call.node.args}
    for statement in module.tree.statements:
        node, spot = statement.node, statement.spot
        given = targets(node) if isinstance(node, ASSIGNMENTS) and isinstance(node.value, cst.Call) else []
        if len(given) != 1 or not isinstance(given[0], cst.Name) or not _begins(node.value, made) or spot.scope.kind == "class":
            continue
        name = given[0].value
        if name in spot.scope.uses_globals or (spot.scope.kind == "module" and not module.named("get_execution_environment", "create")):
            continue  # made for other modules
        setters = [call for call in module.calls if call.name.startswith("set_") and call.spot.scope is spot.scope]
        on = [call for call in setters if _first(call.receiver_node) == name]
        set_here = [*on, *(call for call in setters if _within(call, node.value))]
        if not set_here or reads(module, name, spot.scope) != len({id(_root(call.receiver_node)) for call in on}):
            continue
        message = f"no environment is given {name}, so what is set on it has no effect: get_execution_environment({name}) takes it, and env.configure({name})"
        place = module.place(given[0], spot)
        yield context.finding(message, place, [(module.call_place(set_here[0]), "set here")], covers=[module.place(node, spot)])


def _begins(node: Any, made: set[int]) -> bool:
    """Whether a chain of calls begins with a configuration's constructor: `Configuration().set_string(…)`."""
    return any(id(one) in made for one in _chain(node))


def _chain(node: Any) -> Iterator[Any]:
    """The calls of a chain, from the last one on, and what it begins with."""
    yield node
    while isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute):
        node = node.func.value
        yield node


def _root(node: Any) -> Any:
    """What a chain of calls begins with."""
    *_, first = _chain(node)
    return first


def _first(node: Any) -> str:
    root = _root(node)
    return root.value if isinstance(root, cst.Name) else ""


def _within(call: Call, chain: Any) -> bool:
    """Whether a call is one of a chain's."""
    return any(one is call.node for one in _chain(chain))
