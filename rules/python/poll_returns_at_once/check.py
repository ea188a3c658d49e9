"""`poll()` of kafka-python and `getmany()` of aiokafka, whose timeout is 0 unless it is given, and those of confluent-kafka with a timeout of 0, in a loop that waits for
nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.python.clients import NAMES
from shoal.python.tree import Call, descend

# type and method -> position of the timeout, its name, and whether it is 0 where it is not given
_METHODS = {
    ("kafka.Consumer", "poll"): (0, "timeout_ms", True),
    ("aiokafka.Consumer", "getmany"): (99, "timeout_ms", True),
    ("confluent.Consumer", "poll"): (0, "timeout", False),
    ("confluent.Consumer", "consume"): (1, "timeout", False),
}
# What may wait, or end the loop when there is nothing.
_WAITS = pattern(r"(?i)\b(?:\w*sleep|\w*wait\w*|get|join|select|delay|break|return)\b")


def check(job: Job, context: Context) -> Iterator[Finding]:
    """A loop in which something else may wait, or that ends by itself, is left alone."""
    module = context.module
    for call in module.named("poll", "getmany", "consume"):
        found = _METHODS.get((module.receiver_type(call), call.name))
        loop = call.spot.loop
        if found is None or not isinstance(loop, cst.While) or any(arg.star for arg in call.node.args):
            continue
        position, keyword, at_once = found
        node = call.argument(position, keyword)
        if not at_once if node is None else module.constant(node, call.spot) != 0:
            continue
        awaited = call.use == "awaited"
        text = module.tree.node.code_for_node(loop)
        if _WAITS.search(re.sub(r"\bawait\s+(?=\S*getmany\()", "", text) if awaited else text):
            continue
        library = NAMES[module.receiver_type(call).split(".")[0]]
        how = f"without {keyword}" if node is None else f"with a {keyword} of 0"
        message = f"{call.name} of {library} {how} waits for nothing: while there are no records the loop spins, and takes a whole core"
        confidence = "" if at_once or _begins_anew(module, loop, call) else "low"
        yield context.finding(message, module.call_place(call), confidence=confidence, covers=[module.covers(call)])


def _begins_anew(module: Any, loop: cst.While, call: Call) -> bool:
    """Whether a round begins with the call, and ends right there when nothing has come: there is no other work for which it might hurry."""
    lines = [line for line in loop.body.body if isinstance(line, (cst.SimpleStatementLine, cst.If))][:2]
    if len(lines) < 2 or not isinstance(lines[1], cst.If) or all(part is not call.node for part in descend(lines[0])):
        return False
    only = lines[1].body.body[0]
    return isinstance(only, cst.SimpleStatementLine) and isinstance(only.body[0], cst.Continue)
