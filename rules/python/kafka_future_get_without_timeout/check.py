"""`send(…).get()` without a timeout, outside the operators that unbounded-wait-in-operator looks at."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python import blocking
from shoal.python.contexts import TASK


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    flushes = [call for call in module.named("flush") if module.receiver_type(call) == "kafka.Producer"]
    for call in module.named("get"):
        sent = [obj for obj in module.receivers(call) if obj.type == "kafka.Future"]
        if not sent or any(  # flush() returns when every future is done
            flush.function is call.function and one.spot.statement < flush.spot.statement < call.spot.statement
            for flush in flushes
            for one in sent
        ):
            continue
        found = blocking.waiting(module, call)
        if found is None or module.contexts.kinds(call.function) & (TASK | {"foreach", "foreach-batch"}):
            continue
        message = "get() waits for the broker's answer as long as it takes, once for each record: give it a timeout, and catch KafkaError, not only KafkaTimeoutError"
        yield context.finding(message, module.call_place(call), covers=[module.covers(call)])
