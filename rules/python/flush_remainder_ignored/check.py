"""`producer.flush(10)` as a statement: when the time is over it returns how many records are left, and raises nothing."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.values import Known


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Outside of loops: in one the next flush, or poll, takes what is left."""
    module = context.module
    for call in module.named("flush"):
        node = call.argument(0, "timeout")
        if (
            node is None
            or call.use != "dropped"
            or call.spot.in_loop()
            or module.receiver_type(call) not in ("confluent.Producer", "confluent.AsyncProducer")
        ):
            continue
        value = module.value(node, call.spot)
        if isinstance(value, Known) and not (isinstance(value.value, (int, float)) and value.value > 0):
            continue  # without a limit it returns when nothing is left
        message = "when the time is over, flush() returns how many records are left and raises nothing: they are lost with the process, and nobody hears of it"
        yield context.finding(message, module.call_place(call), covers=[module.covers(call)])
        return
