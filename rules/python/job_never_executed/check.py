"""Streams with sinks, and no `execute` in the script."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.clients import comes_to_an_end
from shoal.python.tree import Call

_RUNS = ("execute", "execute_async", "execute_and_collect", "attach_as_datastream", "execute_insert", "execute_sql", "submit")


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    if module.notebook or module.named(*_RUNS) or module.tree.attribute_names & set(_RUNS):
        return
    for call in module.named("sink_to", "add_sink", "print"):
        if not module.receiver_type(call).startswith("flink.") or not comes_to_an_end(module, call):
            continue
        if any(_leaves(module, other) for other in module.named("get_execution_environment")):
            return
        message = "the script ends without env.execute(): it builds the job graph and runs nothing, with exit code 0"
        yield context.finding(message, module.call_place(call), covers=[module.covers(call)])
        return


def _leaves(module: Any, call: Call) -> bool:
    """Whether the environment is handed to code that is not here, which may execute it."""
    environments = {id(obj.root) for obj in module.objects(call.node, call.spot)}
    for other in module.calls:
        if module.target(other) is not None or module.key(other).startswith("pyflink:"):
            continue
        for arg in other.node.args:
            if any(obj.type == "flink.Environment" and id(obj.root) in environments for obj in module.objects(arg.value, other.spot)):
                return True
    return False
