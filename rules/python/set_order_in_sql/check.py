"""`", ".join({…})` in a module that runs SQL."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.values import Sequence


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    if not module.named("execute_sql", "sql", "sql_query", "add_insert_sql"):
        return
    for call in module.named("join"):
        if not isinstance(module.constant(call.receiver_node, call.spot), str) or len(call.node.args) != 1:
            continue
        node = call.node.args[0].value
        value = module.value(node, call.spot)
        if isinstance(node, cst.SetComp) or (isinstance(value, Sequence) and value.kind == "set" and (len(value.nodes) > 1 or value.open)):
            message = "a set has no order: the text put together here differs from run to run (hash randomisation), and with it plans and generated ids; use a list"
            yield context.finding(message, module.place(node, call.spot), covers=[module.covers(call)])
