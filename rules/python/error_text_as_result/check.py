"""`except Exception as error: return f"Error: {error}"` in a function that an engine runs for each record."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.flow import catches_all
from shoal.python.tree import descend, last_name


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for function, where in module.contexts.running("operator", "udf", "dofn"):
        if where.through or where.engine not in ("flink", "beam"):
            continue
        for statement in module.tree.statements:
            handler, spot = statement.node, statement.spot
            if spot.function is not function or not isinstance(handler, cst.ExceptHandler) or not catches_all(handler):
                continue
            answer = _answer(handler) or _given_back(module, function, handler)
            if answer is not None:
                message = (
                    f"a failure becomes a result like any other {where.told()}: the text of the error goes on to the sink, the record counts as processed, and "
                    "nothing tells that the other side is down; raise it, or send the record to a side output or a column of its own"
                )
                yield context.finding(message, module.place(answer, spot), covers=[module.place(handler.type or handler, spot)])


def _answer(handler: cst.ExceptHandler) -> Any:
    """The text made of the exception that a handler returns or yields, as its last statement; None where there is none."""
    last = _last(handler)
    value: Any = last.value if isinstance(last, (cst.Return, cst.Expr)) else None
    value = value.value if isinstance(last, cst.Expr) and isinstance(value, cst.Yield) else value if isinstance(last, cst.Return) else None
    return value if value is not None and _tells(handler, value) else None


def _given_back(module: Any, function: Any, handler: cst.ExceptHandler) -> Any:
    """The same of a name that the handler gives such a text, and that the function's last statement returns as it is."""
    last, end = _last(handler), _last(function.node) if isinstance(function.node, cst.FunctionDef) else None
    if not isinstance(last, cst.Assign) or not isinstance(end, cst.Return) or not isinstance(end.value, cst.Name):
        return None
    names = [one.target.value for one in last.targets if isinstance(one.target, cst.Name)]
    if names != [end.value.value] or not _tells(handler, last.value):
        return None
    # an answer like any other: what is tried gives it, too
    tried = next((one.node for one in module.tree.statements if isinstance(one.node, cst.Try) and handler in one.node.handlers), None)
    gives = (one for part in descend(tried.body) if isinstance(part, cst.Assign) for one in part.targets) if tried is not None else ()
    return last.value if any(isinstance(one.target, cst.Name) and one.target.value in names for one in gives) else None


def _last(node: Any) -> Any:
    """The last statement of a suite, if it is a simple one."""
    line = node.body.body[-1]
    return line.body[-1] if isinstance(line, cst.SimpleStatementLine) else None


def _tells(handler: cst.ExceptHandler, value: Any) -> bool:
    """Whether a value is a text with the exception in it."""
    name = handler.name.name if handler.name is not None else None
    if not isinstance(name, cst.Name) or not _is_text(value):
        return False
    return any(isinstance(one, cst.Name) and one.value == name.value for one in descend(value))


def _is_text(node: Any) -> bool:
    """Whether an expression is a text, and no structure that has a place for errors."""
    if isinstance(node, cst.BinaryOperation):
        return _is_text(node.left) or _is_text(node.right)
    if isinstance(node, cst.Call):
        return last_name(node.func) in ("str", "repr", "format")
    return isinstance(node, (cst.FormattedString, cst.SimpleString, cst.ConcatenatedString))
