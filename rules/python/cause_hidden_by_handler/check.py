"""`try: df = spark.readStream…load()` whose handler only logs, and `df` behind it: without a value where the `try` failed, or None."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding, Place
from shoal.python import clients, handlers
from shoal.python.flow import catches_all
from shoal.python.tree import ASSIGNMENTS, Statement, descend, is_none, targets

# What raises where it cannot be made: the JVM does not start, a package is missing, no broker answers.
_MADE = frozenset({"spark.Session", "spark.DataFrame", "kafka.Producer", "kafka.Consumer"})
_LEAVES = (cst.Raise, cst.Return, cst.Continue, cst.Break)


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for tried in module.tree.statements if not module.notebook else ():
        if not isinstance(tried.node, cst.Try) or tried.node.orelse is not None or tried.node.finalbody is not None or tried.spot.in_loop():
            continue
        handler = next((one for one in tried.node.handlers if catches_all(one)), None)
        if (
            handler is None
            or not handlers.called(handler.body) <= handlers.LOGS
            or any(isinstance(x, _LEAVES) for x in descend(handler.body))
        ):
            continue
        for name, made in _made(module, tried):
            told = _told(module, tried, name)
            if told is not None:
                message, at, label, confidence = told
                related = [(module.place(made.node, made.spot), "raises where it cannot be made"), (at, label)]
                yield context.finding(
                    f"why it failed is only logged, and {message}", module.handler_place(handler), related, confidence=confidence
                )
                break


def _told(module: Any, tried: Statement, name: str) -> tuple[str, Place, str, str] | None:
    """What becomes of a name where the `try` failed; where that is, what is to be said of it, and how sure it is."""
    given = _otherwise(module, tried, name)
    used = _used(module, tried, name) if given is not None else None
    if used is None:
        return None
    at = module.place(used.node, used.spot)
    if not isinstance(used.node, cst.Return):
        ends = "with an AttributeError or TypeError: this is None" if given else f"with a {_error(used)}: {name} has no value"
        return f"{name} is used all the same: the program ends {ends} then", at, "used here", ""
    if not given:
        message = f"what ends the program is an UnboundLocalError: {name} has no value at the return behind it (let it raise)"
        return message, at, "has no value then", ""
    at = _asked_by_nobody(module, tried.spot.function)
    message = f"None goes on in its place: the program ends somewhere else, of what is done with {name} (let it raise)"
    return (message, at, "used without a look at it", "low") if at is not None else None


def _error(used: Statement) -> str:
    return "UnboundLocalError" if used.spot.function is not None else "NameError"


def _made(module: Any, tried: Statement) -> Iterator[tuple[str, Statement]]:
    """The names that the body of a `try` gives what cannot always be made."""
    for one in module.tree.statements:
        guarded = one.spot.guarded
        if isinstance(one.node, ASSIGNMENTS) and one.node.value is not None and guarded and guarded[-1] is tried.node:
            names = [target.value for target in targets(one.node) if isinstance(target, cst.Name)]
            if len(names) == 1 and module.type_of(one.node.value, one.spot) in _MADE:
                yield names[0], one


def _otherwise(module: Any, tried: Statement, name: str) -> bool | None:
    """Whether a name is None where the `try` failed; False where it has no value at all, None where it has another."""
    inside = {id(part) for part in descend(tried.node.body)}
    bound = tried.spot.scope.bindings.get(name, ())
    apart = [one for one in bound if id(one.node) not in inside]
    if name in tried.spot.scope.uses_globals or any(one.kind != "assign" or not is_none(one.node) for one in apart):
        return None
    return bool(apart)


def _used(module: Any, tried: Statement, name: str) -> Statement | None:
    """The first statement behind a `try` that surely reads a name; None where some condition asks for it, or all is behind one."""
    inside = {id(part) for part in descend(tried.node)}
    first = None
    for one in module.tree.statements[tried.spot.statement + 1 :]:
        node = one.node
        if id(node) in inside or one.spot.scope is not tried.spot.scope or not any(clients.mentions(part, {name}) for part in _heads(node)):
            continue
        if isinstance(node, (cst.If, cst.While, cst.Assert)):
            return None
        if first is None and not one.spot.on_some_paths(tried.spot):
            first = one
    return first


def _heads(node: Any) -> list[Any]:
    """What a statement evaluates itself, without the statements below it."""
    if isinstance(node, (cst.If, cst.While)):
        return [node.test]
    if isinstance(node, cst.For):
        return [node.iter]
    if isinstance(node, cst.With):
        return [item.item for item in node.items]
    if isinstance(node, ASSIGNMENTS):
        return [node.value] if node.value is not None else []
    return [] if isinstance(node, (cst.Try, cst.FunctionDef, cst.ClassDef, cst.ExceptHandler)) else [node]


def _asked_by_nobody(module: Any, function: Any) -> Any:
    """Where the first caller of a function uses what it gave, if no caller asks whether it is there."""
    sites = module.call_sites(function) if function is not None else []
    place = None
    for site in sites:
        name = module.assigned(site)
        if not name:
            return None
        statement = module.tree.statements[site.spot.statement]
        behind = _used(module, statement, name)
        if behind is None or clients.reads(module, name, site.spot.scope) == 0:
            return None
        place = place or module.place(behind.node, behind.spot)
    return place
