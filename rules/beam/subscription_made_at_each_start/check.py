"""`ReadFromPubSub(topic=…)`: the runner makes a subscription for the run."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.facts import text_value
from shoal.python.values import Known

# Feeds of samples, made for trying things out: nothing of them is worth keeping.
_SAMPLES = "projects/pubsub-public-data/"


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for call in module.named("ReadFromPubSub"):
        topic, subscription = call.argument(0, "topic"), call.argument(1, "subscription")
        if not module.qualified(call).startswith("apache_beam.") or topic is None or subscription is not None or call.has_stars:
            continue
        value = module.value(topic, call.spot)
        if (isinstance(value, Known) and value.value is None) or (text_value(module, value) or "").startswith(_SAMPLES):
            continue
        message = "each start makes a new subscription: messages published while the pipeline is down, or is being replaced, are never read"
        # next to a read by subscription it is the user who chooses; where a feed of samples is the default, it is a sample itself
        chosen = call.spot.conditional or len(module.named("ReadFromPubSub")) > 1 or _SAMPLES in module.raw
        yield context.finding(message, module.place(topic, call.spot), confidence="low" if chosen else "", covers=[module.covers(call)])
