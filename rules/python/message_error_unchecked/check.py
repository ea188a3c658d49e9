"""`consumer.poll()` and `.value()` in a module that never calls `.error()`."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    if module.named("error") and any(call.receiver_node is not None and not call.node.args for call in module.named("error")):
        return
    for call in module.named("value"):
        if call.node.args or module.receiver_type(call) != "confluent.Message":
            continue
        made = next(obj for obj in module.receivers(call))
        if "DeserializingConsumer" in _constructor(module, made):
            continue  # raises for errors
        message = "a message may stand for an error (a lost partition, an unknown topic), and its value is then the error's text: look at error() first"
        yield context.finding(
            message, module.call_place(call), [(module.place(made.node, made.spot), "polled here")], covers=[module.covers(call)]
        )
        return


def _constructor(module, message) -> str:  # type: ignore[no-untyped-def]
    return message.source.call if message.source is not None else ""
