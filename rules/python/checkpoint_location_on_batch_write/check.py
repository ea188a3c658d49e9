"""`frame.write….option("checkpointLocation", …)`, as in a function of foreachBatch: only a query has one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.tree import Call

_KEY = "checkpointlocation"


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for call in module.named("option", "options"):
        key = _given(module, call)
        if key is None or not _of_batch(call):
            continue
        message = "this checkpoint location has no effect: a batch is written here, and only a query has one, on its writeStream"
        yield context.finding(message, module.place(key, call.spot), covers=[module.covers(call)])


def _given(module: Any, call: Call) -> Any:
    """What names the option: the text, or the keyword."""
    if call.name == "options":
        return next((arg.keyword for arg in call.node.args if arg.keyword is not None and arg.keyword.value.lower() == _KEY), None)
    node = call.argument(0, "key")
    return node if node is not None and module.string(node, call.spot).lower() == _KEY else None


def _of_batch(call: Call) -> bool:
    """Whether the chain begins with a frame's `write`."""
    node = call.receiver_node
    while True:
        if isinstance(node, cst.Call):
            node = node.func
        elif isinstance(node, cst.Attribute):
            if node.attr.value in ("write", "writeTo", "writeStream"):
                return node.attr.value != "writeStream"
            node = node.value
        else:
            return False
