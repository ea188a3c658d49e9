"""What the functions of a declarative pipeline give. Tried on Spark 4.3 (INVALID_FLOW_QUERY_TYPE, and an AttributeError for None)."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.pipelines import decorator
from shoal.python.tree import Function


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for function in module.functions:
        _, kind = decorator(module, function)
        if not kind:
            continue
        given = [(node, spot) for node, spot in function.returns if node is not None]
        if not given and not function.yields and not _raises(function):
            message = f"the pipeline fails to start: {function.name}() returns no frame"
            yield context.finding(message, module.place(function.node.name, function.spot))
        for node, spot in given if kind == "materialized_view" else ():
            ways = module.frames.streams(node, spot)
            if ways and len(ways) == len(module.frames.of(node, spot)):
                message = "the pipeline fails to start: a materialized view is made of a batch frame, and this is a stream (read it with spark.read, or make it a table)"
                yield context.finding(message, module.place(node, spot))


def _raises(function: Function) -> bool:
    """Whether a function is only to be written yet: all it does is raise, or nothing (`...`, `pass`)."""
    last = function.body.body[-1]
    last = last.body[-1] if isinstance(last, cst.SimpleStatementLine) else last
    return isinstance(last, (cst.Raise, cst.Pass)) or (isinstance(last, cst.Expr) and isinstance(last.value, cst.Ellipsis))
