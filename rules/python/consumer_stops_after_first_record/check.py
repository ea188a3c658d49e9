"""`for message in consumer:` whose body always comes to a `return` or `break`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.python import clients, handlers
from shoal.python.tree import ASSIGNMENTS, descend, targets
from shoal.python.values import names

# Functions that are for one record.
_ONE = pattern(r"one|first|next|single|last|latest|wait|get|fetch|peek|read|receive|sample|check|test|probe|find", re.IGNORECASE)
# Calls that take a record apart.
_TAKES = handlers.APART | names("eval literal_eval model_validate model_validate_json parse_raw parse_obj from_json")


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for statement in module.tree.statements:
        loop, function = statement.node, statement.spot.function
        if not isinstance(loop, cst.For) or function is None or _ONE.search(function.name):
            continue
        if not any(obj.type in clients.CONSUMERS for obj in module.objects(loop.iter, statement.spot)):
            continue
        found = _end(loop.body)
        if found is None or _goes_on(loop.body):
            continue
        end, tried = found
        if isinstance(end, cst.Return) and _names(end.value) & _of_record(module, loop):
            continue  # the record itself, or what it says, is what the caller wants
        spot = module.spot_of(end) or statement.spot
        which = "the first record that is handled without an error" if tried else "its first record"
        message = f"the consumer stops after {which}: this {'return' if isinstance(end, cst.Return) else 'break'} leaves the loop, and nothing reads the topic from then on"
        yield context.finding(message, module.place(end, spot), [(module.place(loop.iter, statement.spot), "the loop over the records")])


def _end(body: Any, tried: bool = False) -> tuple[Any, bool] | None:
    """The `return` or `break` that a run through the body surely comes to, and whether an error on the way is caught."""
    lines = body.body
    last = lines[-1] if lines else None
    if isinstance(last, cst.SimpleStatementLine):
        last = last.body[-1]
    if isinstance(last, (cst.Return, cst.Break)):
        return last, tried
    if isinstance(last, cst.With):
        return _end(last.body, tried)
    if isinstance(last, cst.Try) and last.finalbody is None and last.orelse is None:
        return _end(last.body, True)
    return None


def _goes_on(body: Any) -> bool:
    """Whether some record may be passed over: a `continue` of this loop."""
    others = (cst.FunctionDef, cst.ClassDef, cst.For, cst.While, cst.BaseExpression)
    return any(isinstance(node, cst.Continue) for node in descend(body, others))


def _of_record(module: Any, loop: Any) -> set[str]:
    """The names that hold a record, or what it says, in the body of a loop; not what some work on it gave."""
    found = clients.target_names(loop.target)
    for statement in module.tree.statements:
        node = statement.node
        if not isinstance(node, ASSIGNMENTS) or node.value is None or all(arm.test is not loop for arm in statement.spot.arms):
            continue
        if clients.mentions(node.value, found) and handlers.called(node.value) <= _TAKES:
            found |= {name for target in targets(node) for name in clients.target_names(target)}
    return found


def _names(node: Any) -> set[str]:
    return {at.value for at in descend(node) if isinstance(at, cst.Name)}
