"""Functions that AWS Lambda calls, and the records of Kafka that it hands to them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import libcst as cst

from shoal.python.tree import descend

if TYPE_CHECKING:
    from shoal.python.module import Module
    from shoal.python.tree import Function


def is_handler(function: Function) -> bool:
    """Whether a function is called as AWS Lambda calls a handler."""
    return (
        function.outer is None
        and function.cls is None
        and function.name in ("handler", "lambda_handler")
        and [param.name.lstrip("_") for param in function.params] in (["event", "context"], ["event", "ctx"])
    )


def record_loops(module: Module) -> set[int]:
    """Ids of the loops of handlers over what came in a batch, by partition: `event["records"].items()`."""
    return {
        id(statement.node)
        for statement in module.tree.statements
        if isinstance(statement.node, cst.For)
        and statement.spot.function is not None
        and is_handler(statement.spot.function)
        and _is_batch(statement.node.iter)
    }


def _is_batch(node: Any) -> bool:
    of_map = isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute) and node.func.attr.value in ("items", "values")
    return of_map and "records" in _keys(node.func.value)


def _keys(node: Any) -> list[str]:
    """The texts in `event["records"]` and `event.get("records", …)`."""
    return [str(part.evaluated_value) for part in descend(node) if isinstance(part, cst.SimpleString)]
