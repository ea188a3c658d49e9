"""`Thread(target=consume)` beside a web server or a loop that waits: an exception in the thread is printed, and nothing else happens."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python import endings
from shoal.python.tree import ASSIGNMENTS, Call, dotted, targets


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    if module.named("is_alive") or "excepthook" in module.raw:
        return
    for call in module.named("Thread"):
        target = call.argument(1, "target")
        if target is None or module.qualified(call) != "threading.Thread" or _waited_for(module, call):
            continue
        function = next(iter(module.function_of(target, call.spot)), None)
        ending = endings.elsewhere(module, target, call.spot) if function is None else endings.of(module, function)
        if ending is not None:
            message = "an error ends the consumer in this thread, and nobody hears of it: it is printed, and the rest of the program runs on without records (catch it in the loop, or end the program)"
            yield context.finding(message, module.call_place(call), [(ending.at, ending.why)], covers=[module.covers(call)])


def _waited_for(module: Any, call: Call) -> bool:
    """Whether something waits as long as it takes until a thread has ended: then so does the program."""
    node = module.tree.statements[call.spot.statement].node
    kept = {dotted(one) for one in targets(node)} if isinstance(node, ASSIGNMENTS) else set()
    for join in module.named("join"):
        if join.node.args or join.spot.cleanup or join.receiver_node is None:
            continue
        if dotted(join.receiver_node) in kept or any(isinstance(loop, cst.For) for loop in join.spot.loops):
            return True
    return False
