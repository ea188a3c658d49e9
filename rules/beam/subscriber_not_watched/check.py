"""`subscriber.subscribe(…, callback)` whose future is dropped: the threads behind it end with an error that only the future has."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python import clients
from shoal.python.tree import ASSIGNMENTS, dotted, last_name, targets

# What may wait for futures, or hear of them, wherever it is.
_WATCHES = re.compile(r"\.result\(|\.exception\(|\.done\(|\.running\(|add_done_callback|as_completed\(|\bwait\(|gather\(|wrap_future")


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    if _WATCHES.search(module.raw):
        return
    nodes = [one.node for one in module.tree.statements]
    clients_of = {dotted(target) for node in nodes if isinstance(node, ASSIGNMENTS) and _makes(node.value) for target in targets(node)} - {
        ""
    }
    for call in module.named("subscribe"):
        made = call.receiver_node
        if not (_makes(made) or dotted(made) in clients_of) or not (call.use == "dropped" or clients.unread(module, call)):
            continue
        goes_on = any(
            other.spot.statement > call.spot.statement and any(map(clients.endless, other.spot.loops)) for other in module.named("sleep")
        )
        message = "an error that ends the subscription (a permission, a subscription that is gone) stands in the future only, which is dropped: the program lives on, takes no further message, and nobody hears of it (call result() on it)"
        yield context.finding(message, module.call_place(call), confidence="" if goes_on else "low", covers=[module.covers(call)])


def _makes(node: Any) -> bool:
    return isinstance(node, cst.Call) and last_name(node.func) == "SubscriberClient"
