"""Statements on a connection of psycopg, whose transaction is aborted by one that fails, and refuses whatever comes until it ends."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import libcst as cst

from shoal.lazy import pattern
from shoal.python.tree import Call, Function, dotted, last_name
from shoal.python.values import names

if TYPE_CHECKING:
    from shoal.model import Place
    from shoal.python.module import Module

EXECUTES = names("execute executemany execute_values execute_batch callproc copy_from copy_expert copy_to")
_GIVEN_CURSOR = ("execute_values", "execute_batch")
# Who speaks of any of these anywhere knows how a transaction ends; other databases have no such state.
_MINDED = pattern(
    r"rollback|autocommit|AUTOCOMMIT|isolation_level|\.transaction\(|SAVEPOINT|AsyncConnection|sqlite3|pymysql|MySQLdb|pyodbc|mysql\.connector|clickhouse"
)
_COMMENT = pattern(r"(?m)^[ \t]*#.*$")
MAKERS = ("psycopg2.connect", "psycopg.connect")


def minded(module: Module) -> bool:
    """Whether a module looks after its transactions."""
    return _MINDED.search(_COMMENT.sub("", module.raw)) is not None


def cursor(module: Module, call: Call) -> tuple[Any, Any] | None:
    """The connection that a call's cursor is of, and where it was asked for one; that of a connection's own `execute` as well."""
    given = call.argument(0) if call.name in _GIVEN_CURSOR else call.receiver_node
    if isinstance(given, cst.Call) and last_name(given.func) == "cursor" and isinstance(given.func, cst.Attribute):
        return given.func.value, call.spot
    if not isinstance(given, cst.Name):
        return None
    for binding, _ in module.lookup(given.value, call.spot):
        func = binding.node.func if binding.kind in ("assign", "with") and isinstance(binding.node, cst.Call) else None
        if isinstance(func, cst.Attribute) and func.attr.value == "cursor":
            return func.value, binding.spot
    return None


def of(module: Module, function: Function) -> tuple[Place, str] | None:
    """A statement of a function on a connection that it is given and commits itself, and the parameter: a failure leaves the transaction to whoever calls it."""
    if minded(module):
        return None
    for call in function.calls:
        made = cursor(module, call) if call.name in EXECUTES and not call.spot.guarded else None
        name = made[0].value if made is not None and isinstance(made[0], cst.Name) else ""
        position = next((at for at, param in enumerate(function.params) if name and param.name == name), None)
        commits = (one for one in function.calls if one.name == "commit" and dotted(one.receiver_node) == name and not one.spot.guarded)
        if position is not None and any(commits):
            return module.call_place(call), f"{position} {name}"
    return None


def connects(module: Module, function: Function) -> tuple[Place, str] | None:
    """The call of psycopg that makes the connection which a function gives back."""
    if minded(module):
        return None
    for node, _ in function.returns:
        for call in function.calls:
            given = call.node is node or (isinstance(node, cst.Name) and node.value == module.assigned(call))
            if given and module.qualified(call) in MAKERS:
                return module.call_place(call), "made here"
    return None
