"""A source, sink or keyed process function without `.uid(…)`: once a module, or each where others have one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.tree import Call

_STATEFUL = ("process", "from_source", "sink_to", "reduce", "aggregate")


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    uids = module.named("uid", "set_uid_hash")
    if not uids and not module.named("enable_checkpointing", "set_checkpoint_interval"):
        return
    identified = {id(obj.node) for call in uids for obj in module.receivers(call)}
    unseen = any(not module.receivers(call) for call in uids)  # a uid of a stream that cannot be told
    operators = [call for call in module.named(*_STATEFUL) if _stateful(module, call)]
    bare = [
        call for call in operators if id(call.node) not in identified and not (unseen and call.use in ("assigned", "returned", "argument"))
    ]
    mixed = len(bare) < len(operators)
    for call in bare if mixed else bare[:1]:
        message = f"{call.name} has no uid{', unlike others here' if mixed else ''}: Flink names its state after the place in the graph, and a savepoint does not fit the job any more once an operator is added"
        confidence = "medium" if mixed and not unseen else "low"
        yield context.finding(message, module.call_place(call), confidence=confidence, covers=[module.covers(call)])


def _stateful(module: Any, call: Call) -> bool:
    """Whether it is an operator that has state: of a process function, one on keys or windows."""
    types = {obj.type for obj in module.receivers(call)}
    if call.name == "process":
        return bool(types & {"flink.KeyedStream", "flink.WindowedStream"})
    return bool(types & {"flink.Environment", "flink.DataStream", "flink.KeyedStream", "flink.WindowedStream", "flink.ConnectedStreams"})
