"""confluent-kafka's `poll()` and `consume(…)` without a timeout, or with a negative one, in a loop."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.flow import endless
from shoal.python.tree import Call


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for call in module.named("poll", "consume"):
        if module.receiver_type(call) != "confluent.Consumer" or not _without(module, call):
            continue
        loop = call.spot.loop
        if loop is None and not (call.function is not None and call.function.name == "__next__"):
            continue
        what = "until a record comes" if call.name == "poll" else "until as many records have come"
        message = f"{call.name} without a timeout waits {what}: meanwhile "
        if _asks(loop):
            message += "the loop does not look whether it is to stop, and before confluent-kafka 2.13 not even Ctrl-C ends it"
            yield context.finding(message, module.call_place(call), covers=[module.covers(call)])
        else:
            message += "neither Ctrl-C nor a handler of SIGTERM is seen before confluent-kafka 2.13"
            yield context.finding(message, module.call_place(call), confidence="low", covers=[module.covers(call)])


def _without(module: Any, call: Call) -> bool:
    """Whether a call surely has no end: no timeout, or one below zero."""
    if any(arg.star for arg in call.node.args):
        return False
    node = call.argument(0 if call.name == "poll" else 1, "timeout")
    if node is None:
        return True
    value = module.constant(node, call.spot)
    return isinstance(value, (int, float)) and not isinstance(value, bool) and value < 0


def _asks(loop: Any) -> bool:
    """Whether a loop goes on only while something holds that other code may change; an iterator's own loop stands elsewhere."""
    return isinstance(loop, cst.While) and not endless(loop)
