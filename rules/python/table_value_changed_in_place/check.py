"""`table[key]["n"] = 1` and `table[key].append(…)` in an agent or timer of Faust, without `table[key] = …` behind it.

A table hears of `__setitem__` and `__delitem__` alone (`mode.utils.collections.ManagedUserDict`): only they write the store and the changelog. The default of a key
that is new is made for whoever asks and kept nowhere (`Table.__missing__`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.tree import CHANGES, Function, Spot, descend, dotted, targets
from shoal.python.values import names

# What gives a table a value, or takes one out of it.
_GIVES = names("update setdefault pop popitem clear")


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    tables = _tables(module)
    for function, where in module.contexts.running("agent") if tables else ():
        if where.engine != "faust":
            continue
        seen = set()
        for node, spot in _changed(module, function):
            table, key = _taken(module, function, node, spot, tables)
            if not table or table in seen or _given_back(module, function, table):
                continue
            seen.add(table)
            message = (
                f"this changes what {table}[{key}] gives, and the table does not hear of it: nothing is written to its store or changelog, and for a key that is "
                f"new the change is gone at once; give it back ({table}[{key}] = …)"
            )
            yield context.finding(message, module.place(node, spot))


def _tables(module: Any) -> set[str]:
    """The names of the tables of the module's apps; one with windows gives sets of values that are changed by their own methods."""
    found = set()
    for call in module.named("Table", "GlobalTable"):
        statement = module.tree.statements[call.spot.statement].node
        if isinstance(statement, cst.Assign) and statement.value is call.node and call.receiver_node is not None:
            found |= {target.value for target in targets(statement) if isinstance(target, cst.Name)}
    return found


def _changed(module: Any, function: Function) -> Iterator[tuple[Any, Spot]]:
    """What a function changes in place: the expression before a method that changes it, or before the brackets that something is put in."""
    for call in function.calls:
        if call.name in CHANGES and call.receiver_node is not None:
            yield call.receiver_node, call.spot
    for statement in module.tree.statements:
        node = statement.node
        if statement.spot.function is not function:
            continue
        put = [node.target] if isinstance(node, cst.AugAssign) else targets(node)
        yield from ((target.value, statement.spot) for target in put if isinstance(target, cst.Subscript))


def _taken(module: Any, function: Function, node: Any, spot: Spot, tables: set[str]) -> tuple[str, str]:
    """The table that an expression, or the only value of a name, is taken out of, and the key as it is written; empty for any other."""
    while isinstance(node, cst.Subscript) and dotted(node.value) not in tables:
        node = node.value
    if isinstance(node, cst.Name) and node.value not in tables:
        name = node.value
        given = [
            one.node
            for one in module.tree.statements
            if one.spot.function is function and any(isinstance(target, cst.Name) and target.value == name for target in targets(one.node))
        ]
        node = given[0].value if len(given) == 1 and isinstance(given[0], cst.Assign) else None
    if not isinstance(node, cst.Subscript) or dotted(node.value) not in tables:
        return "", ""
    return dotted(node.value), cst.Module([]).code_for_node(node.slice[0])


def _given_back(module: Any, function: Function, table: str) -> bool:
    """Whether the function may give the table a value, at any place, or hands the table on."""
    for statement in module.tree.statements:
        node = statement.node
        if statement.spot.function is function:
            put = [node.target] if isinstance(node, cst.AugAssign) else targets(node)
            if any(isinstance(target, cst.Subscript) and dotted(target.value) == table for target in put):
                return True
    return any(
        (call.name in _GIVES and call.receiver_node is not None and dotted(call.receiver_node) == table)
        or any(isinstance(part, cst.Name) and part.value == table for arg in call.node.args for part in _whole(arg.value))
        for call in function.calls
    )


def _whole(node: Any) -> Iterator[Any]:
    """The names in an expression that stand for all of what they name: not the one before brackets or a dot."""
    before = {id(part.value) for part in descend(node) if isinstance(part, (cst.Subscript, cst.Attribute))}
    return (part for part in descend(node) if id(part) not in before)
