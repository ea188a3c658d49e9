"""`iterator = answer["NextShardIterator"]` in a loop over a Kinesis shard that never asks whether there is one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python import clients
from shoal.python.flow import catches_all, caught
from shoal.python.tree import Call, descend, dotted, evaluated

_NEXT = "NextShardIterator"


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    told: set[int] = set()
    for call in module.named("get_records"):
        loop = call.spot.loop
        if not isinstance(loop, cst.While) or id(loop) in told or not clients.KINESIS.search(module.raw) or call.receiver_node is None:
            continue
        asked = next(
            (
                (part, statement)
                for statement in module.tree.statements
                if loop in statement.spot.loops
                for part in evaluated(statement.node)
                if _asks(part)
            ),
            None,
        )
        if asked is None or _checked(module, loop, call):
            continue
        told.add(id(loop))
        part, statement = asked
        if "boto3" not in module.raw or not isinstance(part, cst.Subscript):
            then = "there is no next iterator, and get_records() refuses None"
        else:
            then = f"boto3 leaves {_NEXT} out, and this raises KeyError"
        message = f"this reader fails when the shard is closed, as each change of the number of shards closes some: then {then}; end the loop there, and read the shards that took its place"
        yield context.finding(message, module.place(part, statement.spot), covers=[module.covers(call)])


def _asks(part: Any) -> bool:
    """`answer["NextShardIterator"]`, `answer.get("NextShardIterator")`."""
    if isinstance(part, cst.Subscript):
        return len(part.slice) == 1 and isinstance(part.slice[0].slice, cst.Index) and _is_name(part.slice[0].slice.value)
    if isinstance(part, cst.Call):
        return (
            isinstance(part.func, cst.Attribute) and part.func.attr.value == "get" and len(part.args) == 1 and _is_name(part.args[0].value)
        )
    return False


def _is_name(node: Any) -> bool:
    return isinstance(node, cst.SimpleString) and node.evaluated_value == _NEXT


def _checked(module: Any, loop: cst.While, call: Call) -> bool:
    """Whether some condition around or in the loop is about the iterator or the answer, or a handler takes what comes of there being none."""
    names = {dotted(arg.value) for arg in call.node.args} | {module.assigned(call)}
    for statement in module.tree.statements:
        node = statement.node
        if loop not in statement.spot.loops:
            continue
        if isinstance(node, cst.Assign) and any(_asks(part) for part in descend(node.value)):
            names |= {dotted(one.target) for one in node.targets}
    names.discard("")
    conditions: list[Any] = [loop.test]
    for part in descend(loop):
        if isinstance(part, (cst.If, cst.While, cst.IfExp)):
            conditions.append(part.test)
        elif isinstance(part, (cst.BooleanOperation, cst.Match, cst.NamedExpr, cst.Assert)):
            conditions.append(part)
    for condition in conditions:
        for part in descend(condition):
            if _is_name(part) or (isinstance(part, (cst.Name, cst.Attribute)) and dotted(part) in names and not _records(condition)):
                return True
    handlers = [handler for statement in call.spot.guarded for handler in getattr(statement, "handlers", ())]
    return any(
        (catches_all(handler) or set(caught(handler)) & {"KeyError", "LookupError", "ParamValidationError"}) and not _raises_again(handler)
        for handler in handlers
    )


def _raises_again(handler: cst.ExceptHandler) -> bool:
    """Whether a handler ends with a `raise`, whatever it does before."""
    last = handler.body.body[-1] if handler.body.body else None
    return isinstance(last, cst.Raise) or (isinstance(last, cst.SimpleStatementLine) and isinstance(last.body[-1], cst.Raise))


def _records(condition: Any) -> bool:
    """Whether a condition asks the answer for its records alone: `if answer["Records"]`."""
    return any(
        isinstance(part, cst.SimpleString) and part.evaluated_value in ("Records", "MillisBehindLatest") for part in descend(condition)
    )
