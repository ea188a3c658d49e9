"""A strategy in a name that nothing reads, or an `assign_timestamps_and_watermarks` whose stream is dropped."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.clients import reads


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for call in module.named("assign_timestamps_and_watermarks"):
        if call.use == "dropped" and module.receiver_type(call).startswith("flink."):
            message = "the stream with watermarks that this returns is dropped; the one it is called on still has none"
            yield context.finding(message, module.call_place(call), covers=[module.covers(call)])
    for statement in module.tree.statements:
        node = statement.node
        if (
            not isinstance(node, cst.Assign)
            or len(node.targets) != 1
            or not isinstance(node.targets[0].target, cst.Name)
            or not isinstance(node.value, cst.Call)
        ):
            continue
        if module.type_of(node.value, statement.spot) != "flink.WatermarkStrategy":
            continue
        name = node.targets[0].target.value
        if statement.spot.scope.kind == "class" or reads(module, name, statement.spot.scope):
            continue
        if statement.spot.scope.kind == "module" and not any(
            call.name in ("from_source", "execute", "execute_sql") for call in module.calls
        ):
            continue  # made for other modules
        message = f"{name} is never used: no stream gets these watermarks, and event-time windows and timers on it never fire"
        yield context.finding(message, module.place(node.targets[0].target, statement.spot), covers=[module.place(node, statement.spot)])
