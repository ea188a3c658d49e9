"""`ValueStateDescriptor(f"total-{uuid4()}", …)` and `.uid(str(time.time()))`."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.anew import anew
from shoal.python.descriptors import STATES


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for call in module.named(*set(STATES.values())):
        node = call.argument(0, "name")
        if node is None or not any(one.type == "flink.StateDescriptor" for one in module.objects(call.node, call.spot)):
            continue
        if what := anew(module, node, call.spot):
            message = f"what this state held is not found again: its name has {what} in it, and is another one at each start"
            yield context.finding(message, module.place(node, call.spot), covers=[module.covers(call)])
    for call in module.named("uid"):
        node = call.argument(0, "uid")
        if node is None or not any(one.type.startswith("flink.") for one in module.receivers(call)):
            continue
        if what := anew(module, node, call.spot):
            message = f"no savepoint or checkpoint of one run fits the next: the uid of this operator has {what} in it, and its state has no owner then"
            yield context.finding(message, module.place(node, call.spot), covers=[module.covers(call)])
