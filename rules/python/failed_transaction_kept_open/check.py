"""A handler that passes over a failed statement of psycopg's, where the connection lives on and nothing rolls back.

PostgreSQL refuses whatever comes in a transaction after a statement that failed, until it ends; a commit in the same `try` never comes to end it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.python import transactions
from shoal.python.clients import handlers, inside
from shoal.python.elsewhere import CONNECTS, EXECUTES
from shoal.python.flow import catches_all, caught, reraises
from shoal.python.tree import Call, Function, contains, descend, dotted, last_name
from shoal.python.values import names

_ERRORS = names("Error DatabaseError OperationalError IntegrityError ProgrammingError DataError InternalError")
# What may give the transaction up, or the connection, by its name.
_ENDS = pattern(r"(?i)close|connect|conn$|reset|putconn|release|exit|abort|kill|stop|restart|rais|quit|shut")
_LEVELS = 4
_MESSAGE = "after a statement that failed PostgreSQL refuses all that follow in its transaction, and nothing ends it here: each later record fails as well, and is only told of (roll back in the handler)"


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    if transactions.minded(module):
        return
    found = list(_here(context, module)) if "psycopg" in module.raw else []
    yield from found or _elsewhere(context, module)


def _here(context: Context, module: Any) -> Iterator[Finding]:
    for call in module.named(*transactions.EXECUTES):
        made = transactions.cursor(module, call)
        if made is None:
            continue
        connection, at = made
        for site, handler, tried in _caught(module, call, _LEVELS):
            if not _passes_over(module, handler, tried) or not _commits_there(module, connection, tried, call, site is call):
                continue
            sure = _lives_on(module, connection, at, call, tried, _LEVELS)
            if sure is None or _around(call, connection, tried) or _renewed(module, tried, site):
                continue
            yield context.finding(_MESSAGE, module.handler_place(handler), [(module.call_place(call), "may fail")], confidence=sure)
            return


def _elsewhere(context: Context, module: Any) -> Iterator[Finding]:
    """The same of a connection that a function of another module makes, and that one of another module writes with and commits."""
    for call in module.calls:
        handler = next((one for one in handlers(call) if _catches(one)), None) if call.node.args and call.spot.loops else None
        tried = next((one for one in reversed(call.spot.guarded) if handler in getattr(one, "handlers", ())), None)
        if handler is None or tried is None or module.target(call) is not None or not _passes_over(module, handler, tried):
            continue
        said = module.others.said(module.others.callee(call.node.func, call.spot), EXECUTES)
        position, _, name = said[1].partition(" ") if said is not None else ("", "", "")
        given = call.argument(int(position), name) if position else None
        if not isinstance(given, cst.Name) or not _of_psycopg(module, given, call) or _renewed(module, tried, call):
            continue
        sure = _kept(module, given.value, call.spot, call.function, [loop for loop in call.spot.loops if contains(loop, tried)], _LEVELS)
        if sure is not None:
            yield context.finding(_MESSAGE, module.handler_place(handler), [(said[0], "may fail")], confidence=sure)
            return


def _of_psycopg(module: Any, given: cst.Name, call: Call) -> bool:
    """Whether a name is surely given a connection of psycopg, made here or by a function of another module."""
    made = [binding for binding, _ in module.lookup(given.value, call.spot)]
    return bool(made) and all(
        binding.kind in ("assign", "with")
        and isinstance(binding.node, cst.Call)
        and (
            dotted(binding.node.func) in transactions.MAKERS
            or module.others.said(module.others.callee(binding.node.func, binding.spot), CONNECTS) is not None
        )
        for binding in made
    )


def _caught(module: Any, call: Call, levels: int) -> Iterator[tuple[Call, Any, Any]]:
    """Where what a statement raises is caught, the handler and its `try`: around it, or in a loop around a call of the function that it stands in."""
    handler = next((one for one in handlers(call) if _catches(one)), None)
    tried = next((one for one in reversed(call.spot.guarded) if handler in getattr(one, "handlers", ())), None)
    if handler is not None and tried is not None:
        yield call, handler, tried
    elif not call.spot.guarded and call.function is not None and levels:
        for site in module.call_sites(call.function):
            if site.function is not call.function:
                for where, found, around in _caught(module, site, levels - 1):
                    if any(contains(loop, around) for loop in where.spot.loops):
                        yield where, found, around


def _catches(handler: Any) -> bool:
    return catches_all(handler) or any(name in _ERRORS for name in caught(handler))


def _passes_over(module: Any, handler: Any, tried: Any) -> bool:
    """Whether nothing in a handler, nor behind the `try`, raises, ends anything or is a function that may."""
    if reraises(handler):
        return False
    parts = [handler.body, *([tried.finalbody] if tried.finalbody is not None else ())]
    for part in (one for body in parts for one in descend(body)):
        if isinstance(part, cst.Call) and _ENDS.search(last_name(part.func)) and not _of_a_cursor(part):
            return False
        if isinstance(part, (cst.Break, cst.Del)) or (isinstance(part, cst.Assign) and _ENDS.search(dotted(part.targets[0].target))):
            return False
    return not any(module.target(other) is not None and inside(other.spot, handler) for other in module.calls)


def _of_a_cursor(call: cst.Call) -> bool:
    return isinstance(call.func, cst.Attribute) and "cur" in dotted(call.func.value).lower()


def _commits_there(module: Any, connection: Any, tried: Any, call: Call, here: bool) -> bool:
    """Whether the connection is committed, and only where no statement has failed."""
    commits = [one for one in module.named("commit") if one.function is call.function and dotted(one.receiver_node) == dotted(connection)]
    return bool(commits) and all(contains(tried.body, one.node) if here else not one.spot.guarded for one in commits)


def _lives_on(module: Any, connection: Any, at: Any, call: Call, tried: Any, levels: int) -> str | None:
    """How sure it is that the same connection serves what comes next; None where it may well be another."""
    if isinstance(connection, cst.Attribute):
        function = call.function
        if function is None or function.cls is None or function.name == "__init__":
            return None
        return "" if dotted(connection.value) == function.self_name and connection.attr.value in function.cls.attributes else None
    if not isinstance(connection, cst.Name):
        return None
    return _kept(module, connection.value, at, call.function, [loop for loop in call.spot.loops if contains(loop, tried)], levels)


def _kept(module: Any, name: str, spot: Any, function: Function | None, loops: list[Any], levels: int) -> str | None:
    """Of a name: it is made outside of the loop, or of the function, or given by somebody of whom that holds, or of whom nothing is seen."""
    found = [binding for binding, _ in module.lookup(name, spot)]
    if not found:
        return None
    if all(binding.kind in ("assign", "with") for binding in found):
        outside = all(binding.spot.function is not function for binding in found)
        apart = bool(loops) and not any(
            binding.spot.loop in loops or set(map(id, loops)) & set(map(id, binding.spot.loops)) for binding in found
        )
        return "" if (outside and function is not None) or apart else None
    if any(binding.kind != "param" for binding in found) or function is None or not levels:
        return None
    sites = [site for site in module.call_sites(function) if site.function is not function]
    place = [param.name for param in function.params].index(name) if name in [param.name for param in function.params] else None
    if place is None:
        return None
    place -= function.cls is not None and bool(function.self_name)
    if not sites:
        return "low"
    given = [(site.argument(place, name), site) for site in sites]
    answers = [
        _kept(module, node.value, site.spot, site.function, list(site.spot.loops), levels - 1) if isinstance(node, cst.Name) else None
        for node, site in given
    ]
    return next((answer for answer in ("", "low") if answer in answers), None)


def _around(call: Call, connection: Any, tried: Any) -> bool:
    """Whether the connection is a context there, which rolls back by itself."""
    return any(
        isinstance(part, cst.With) and contains(part, call.node) and any(dotted(item.item) == dotted(connection) for item in part.items)
        for part in descend(tried)
    )


def _renewed(module: Any, tried: Any, call: Call) -> bool:
    """Whether something that may look after the connection comes before the statement."""
    return any(
        _ENDS.search(other.name)
        and other.function is call.function
        and contains(tried.body, other.node)
        and other.spot.statement <= call.spot.statement
        for other in module.calls
    )
