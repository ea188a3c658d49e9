"""`poll()` of kafka-python and `getmany()` of aiokafka, whose timeout is 0 unless it is given, in a loop that waits for nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.clients import NAMES

# type and method -> position of the timeout
_METHODS = {("kafka.Consumer", "poll"): 0, ("aiokafka.Consumer", "getmany"): 99}
# What may wait, or end the loop when there is nothing.
_WAITS = re.compile(r"(?i)\b(?:\w*sleep|\w*wait\w*|get|join|select|delay|break|return)\b")


def check(job: Job, context: Context) -> Iterator[Finding]:
    """A loop in which something else may wait, or that ends by itself, is left alone."""
    module = context.module
    for call in module.named("poll", "getmany"):
        position = _METHODS.get((module.receiver_type(call), call.name))
        loop = call.spot.loop
        if position is None or not isinstance(loop, cst.While) or any(arg.star for arg in call.node.args):
            continue
        node = call.argument(position, "timeout_ms")
        if node is not None and module.constant(node, call.spot) != 0:
            continue
        awaited = call.use == "awaited"
        text = module.tree.node.code_for_node(loop)
        if _WAITS.search(re.sub(r"\bawait\s+(?=\S*getmany\()", "", text) if awaited else text):
            continue
        library = NAMES[module.receiver_type(call).split(".")[0]]
        message = f"{call.name} of {library} without timeout_ms waits for nothing: while there are no records the loop spins, and takes a whole core"
        yield context.finding(message, module.call_place(call), covers=[module.covers(call)])
