"""`ReadFromPubSub(topic=…)`: the runner makes a subscription for the run."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.values import Known


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for call in module.named("ReadFromPubSub"):
        topic, subscription = call.argument(0, "topic"), call.argument(1, "subscription")
        if not module.qualified(call).startswith("apache_beam.") or topic is None or subscription is not None or call.has_stars:
            continue
        value = module.value(topic, call.spot)
        if isinstance(value, Known) and value.value is None:
            continue
        message = "each start makes a new subscription: messages published while the pipeline is down, or is being replaced, are never read"
        # next to a read by subscription it is the user who chooses
        chosen = call.spot.conditional or len(module.named("ReadFromPubSub")) > 1
        yield context.finding(message, module.place(topic, call.spot), confidence="low" if chosen else "", covers=[module.covers(call)])
