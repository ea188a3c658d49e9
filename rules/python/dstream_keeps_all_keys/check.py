"""`updateStateByKey` with a function that never gives None, and `reduceByKeyAndWindow` with an inverse function and nothing that filters what has left the window."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.tree import Call, Function, descend, is_none


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for call in module.named("updateStateByKey"):
        node = call.argument(0, "updateFunc")
        functions = module.function_of(node, call.spot) if node is not None and _of_stream(module, call) else []
        if functions and all(_always_gives(function) for function in functions):
            message = "the state of every key there ever was is kept, and gone through in each batch: the function never gives None, with which a key leaves (fine only for a fixed set of keys)"
            yield context.finding(message, module.call_place(call), covers=[module.covers(call)])
    for call in module.named("reduceByKeyAndWindow"):
        inverse = call.argument(1, "invFunc")
        if inverse is None or is_none(inverse) or call.has_stars or not _of_stream(module, call):
            continue
        kept = call.argument(5, "filterFunc")
        if kept is None or is_none(kept):
            message = "every key there ever was stays in the window, at nothing: what is taken away with an inverse function leaves its key there (filterFunc drops it)"
            yield context.finding(message, module.call_place(call), covers=[module.covers(call)])


def _of_stream(module: Any, call: Call) -> bool:
    made = module.receivers(call)
    return bool(made) and all(one.type == "spark.DStream" for one in made)


def _always_gives(function: Function) -> bool:
    """Whether a function surely gives something: it names no None but to compare with it, and ends with a `return`."""
    if not function.returns or function.yields:
        return False
    for node, _ in function.returns:
        if node is None or any(is_none(part) for part in _given(node)):
            return False
    if function.is_lambda:
        return True
    last = function.node.body.body[-1] if isinstance(function.node.body, cst.IndentedBlock) else None
    names = {part.value for node, _ in function.returns for part in descend(node) if isinstance(part, cst.Name)}
    held = {
        id(binding.node)
        for name in names
        for binding in function.scope.bindings.get(name, ())
        if binding.kind == "assign" and is_none(binding.node)
    }
    return not held and isinstance(last, cst.SimpleStatementLine) and isinstance(last.body[-1], cst.Return)


def _given(node: Any) -> Iterator[Any]:
    """What an expression may be: the two sides of `a if test else b`."""
    if isinstance(node, cst.IfExp):
        yield from _given(node.body)
        yield from _given(node.orelse)
    elif isinstance(node, cst.BooleanOperation):
        yield from _given(node.left)
        yield from _given(node.right)
    else:
        yield node
