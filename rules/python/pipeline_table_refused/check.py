"""What the functions of a declarative pipeline give. Tried on Spark 4.3 (INVALID_FLOW_QUERY_TYPE, and an AttributeError for None).

Flows of changes are read as streams by Databricks: it refuses one that comes of a materialized view (STREAMING_FROM_MATERIALIZED_VIEW), which every update writes anew, or of a view of a batch.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.frame import BATCH
from shoal.python.pipelines import decorator, table_name
from shoal.python.tree import Call, Function

# What takes changes from a source that it reads as a stream, unless it is told that there is one batch of them.
_CHANGES = ("create_auto_cdc_flow", "apply_changes")


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
    yield from _changes(context)


def _changes(context: Context) -> Iterator[Finding]:
    """Flows of changes whose source is read as a batch in this file."""
    module = context.module
    made = {table_name(module, function): function for function in module.functions if decorator(module, function)[1]}
    for call in module.named(*_CHANGES):
        source = call.argument(1, "source")
        function = made.get(module.string(source, call.spot).rpartition(".")[2]) if source is not None else None
        if function is None or _once(module, call):
            continue
        given = [(node, spot) for node, spot in function.returns if node is not None]
        if given and all(_batch(module, node, spot) for node, spot in given):
            node, spot = given[0]
            message = f"the pipeline fails: {call.name}() reads its source as a stream, and {function.name}() reads a batch (use spark.readStream)"
            related = [(module.call_place(call), "takes the changes from it")]
            yield context.finding(message, module.place(node, spot), related, confidence="medium")


def _once(module: Any, call: Call) -> bool:
    """Whether a flow is one of a single batch, or may be."""
    return call.has_keyword("once") and module.constant(call.argument(9, "once"), call.spot) is not False


def _batch(module: Any, node: Any, spot: Any) -> bool:
    ways = module.frames.of(node, spot)
    return bool(ways) and all(frame.roots() == {BATCH} for frame in ways)


def _raises(function: Function) -> bool:
    """Whether a function is only to be written yet: all it does is raise, or nothing (`...`, `pass`)."""
    last = function.body.body[-1]
    last = last.body[-1] if isinstance(last, cst.SimpleStatementLine) else last
    return isinstance(last, (cst.Raise, cst.Pass)) or (isinstance(last, cst.Expr) and isinstance(last.value, cst.Ellipsis))
