"""`subscriber.subscribe(…, callback)` whose future is dropped: the threads behind it end with an error that only the future has."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.python import clients
from shoal.python.flow import endless

# What may wait for futures, or hear of them, wherever it is.
_WATCHES = pattern(r"\.result\(|\.exception\(|\.done\(|\.running\(|add_done_callback|as_completed\(|\bwait\(|gather\(|wrap_future")


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    if _WATCHES.search(module.raw):
        return
    for call in clients.unread_futures(module, "SubscriberClient", "subscribe"):
        goes_on = any(other.spot.statement > call.spot.statement and any(map(endless, other.spot.loops)) for other in module.named("sleep"))
        message = "an error that ends the subscription (a permission, a subscription that is gone) stands in the future only, which is dropped: the program lives on, takes no further message, and nobody hears of it (call result() on it)"
        yield context.finding(message, module.call_place(call), confidence="" if goes_on else "low", covers=[module.covers(call)])
