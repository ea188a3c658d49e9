"""A field that records wait in, emptied whether or not the write of them succeeded: the handler around the write only logs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.python import clients, handlers, waiting
from shoal.python.flow import catches_all, reraises
from shoal.python.tree import ASSIGNMENTS, Call, Statement, contains, dotted, targets

_WRITES = pattern(
    r"(?i)write|insert|upsert|save|store|persist|upload|put_|fput|bulk|execute|index|copy_|to_(?:sql|parquet|csv|gbq|delta)|send_|post|load_"
)


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for function in module.functions:
        lines = [statement for statement in module.tree.statements if statement.spot.function is function] if function.self_name else []
        for tried in lines:
            handler = _logging(module, tried)
            found = _let_go(module, lines, tried) if handler is not None else None
            if handler is None or found is None:
                continue
            emptied, name, write = found
            message = f"the records in {name} are let go here whether or not they were written: where {write.name} fails, that is logged, and they are gone (empty it right behind the write, inside the try)"
            related = [(module.call_place(write), "may fail"), (module.handler_place(handler), "only logs")]
            place = module.place(emptied.node, emptied.spot)
            yield context.finding(message, place, related, covers=[place])
            break


def _logging(module: Any, statement: Statement) -> Any:
    """The handler of a `try` for every failure, if it does no more than log and count it, and goes on below."""
    if not isinstance(statement.node, cst.Try):
        return None
    handler = next((one for one in statement.node.handlers if catches_all(one)), None)
    if handler is None or reraises(handler) or not handlers.only_logs(module, handler, statement.spot.scope, cst.AugAssign):
        return None
    return handler


def _let_go(module: Any, lines: list[Statement], tried: Statement) -> tuple[Statement, str, Call] | None:
    """What empties a field on every way through a `try`, the field's name, and the write in the `try` of what waits in it."""
    node = tried.node
    for line in lines:
        inner = line.node.value if isinstance(line.node, cst.Expr) else line.node
        beside = line.spot.arms == tried.spot.arms and node not in line.spot.guarded and line.node is not node
        if not beside and not (node.finalbody is not None and contains(node.finalbody, line.node) and _plain(line, tried)):
            continue
        for name in waiting.emptied(inner):
            if not name.startswith("self."):
                continue
            write = _written(module, lines, tried, line, name)
            if write is not None:
                return line, name, write
    return None


def _plain(line: Statement, tried: Statement) -> bool:
    """Whether a line of a `finally` is run each time."""
    return not any(arm.kind in ("if", "loop", "except") for arm in line.spot.arms[len(tried.spot.arms) :])


def _written(module: Any, lines: list[Statement], tried: Statement, emptied: Statement, name: str) -> Call | None:
    """The write, in the body of a `try`, that is given a field or what was made of it; above it, where it is emptied there."""
    root = name.partition("[")[0]
    made: set[str] = set()
    for line in lines:
        value = line.node.value if isinstance(line.node, ASSIGNMENTS) else None
        if value is None or (line is emptied and not _swaps(line.node)) or not _speaks_of(value, root, made):
            continue
        made |= {one for target in targets(line.node) for one in clients.target_names(target)}
    for call in module.calls:
        if call.spot.function is not tried.spot.function or not contains(tried.node.body, call.node) or not _WRITES.search(call.name):
            continue
        parts = [arg.value for arg in call.node.args]
        if call.receiver_node is not None:
            parts.append(call.receiver_node)
        if any(_speaks_of(part, root, made) for part in parts):
            return call  # type: ignore[no-any-return]
    return None


def _swaps(node: Any) -> bool:
    """`batch, self.buffer = self.buffer, []`"""
    return isinstance(node, cst.Assign) and isinstance(node.value, cst.Tuple)


def _speaks_of(node: Any, field: str, names: set[str]) -> bool:
    """Whether an expression has a field or one of these names in it."""
    if isinstance(node, cst.Attribute) and dotted(node) == field:
        return True
    if isinstance(node, cst.Name):
        return node.value in names
    return any(_speaks_of(child, field, names) for child in node.children)
