"""A strategy in a name that nothing reads, or an `assign_timestamps_and_watermarks` whose stream is dropped, or not read from there on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.python.clients import reads
from shoal.python.tree import ASSIGNMENTS, Call, descend, targets

_CLAUSE = pattern(r"(?i)\bwatermark\s+for\b")


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for call in module.named("assign_timestamps_and_watermarks"):
        if module.receiver_type(call) not in ("flink.DataStream", "flink.KeyedStream"):
            continue
        if call.use == "dropped":
            message = "the stream with watermarks that this returns is dropped; the one it is called on still has none"
        elif name := _not_read_on(module, call):
            message = (
                f"the stream with watermarks is {name} from here on, which nothing below reads: what was made of it above still has none"
            )
        else:
            continue
        yield context.finding(message, module.call_place(call), covers=[module.covers(call)])
    for statement in module.tree.statements:
        node = statement.node
        given = targets(node) if isinstance(node, ASSIGNMENTS) and isinstance(node.value, cst.Call) else []
        if len(given) != 1 or not isinstance(given[0], cst.Name):
            continue
        if module.type_of(node.value, statement.spot) != "flink.WatermarkStrategy":
            continue
        name = given[0].value
        if statement.spot.scope.kind == "class" or reads(module, name, statement.spot.scope):
            continue
        if statement.spot.scope.kind == "module" and not any(
            call.name in ("from_source", "execute", "execute_sql") for call in module.calls
        ):
            continue  # made for other modules
        then = (
            "; its tables have those of their WATERMARK clauses"
            if _CLAUSE.search(module.raw)
            else ", and event-time windows and timers on it never fire"
        )
        message = f"{name} is never used: no stream gets these watermarks{then}"
        yield context.finding(message, module.place(given[0], statement.spot), covers=[module.place(node, statement.spot)])


def _not_read_on(module: Any, call: Call) -> str:
    """The name that the stream is given, where no statement below reads it; empty where one may."""
    name = module.assigned(call)
    if not name or call.spot.in_loop() or name in call.spot.scope.uses_globals or module.notebook:
        return ""
    if call.function is None and not any(other.name in ("execute", "execute_async") for other in module.calls):
        return ""  # made for other modules
    if any(at is not call.spot.scope for at in module.tree.name_uses.get(name, ())):
        return ""  # an inner function may read it whenever it is called
    later = module.tree.statements[call.spot.statement + 1 :]
    return "" if any(_named(statement.node, name) for statement in later) else name


def _named(node: Any, name: str) -> bool:
    return any(isinstance(at, cst.Name) and at.value == name for at in descend(node))
