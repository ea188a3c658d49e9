"""A producer that is neither flushed nor closed in a program that comes to its end."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python import clients

_ENDS = ("flush", "close", "stop", "__exit__")


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    if module.notebook or module.tree.attribute_names & {"flush", "close"}:
        return
    for call, producer in clients.made(module, clients.PRODUCERS):
        if call.use in ("entered", "returned", "argument", "yielded"):
            continue
        sends = clients.uses(module, producer, "send", "produce", "send_and_wait")
        if not sends or clients.uses(module, producer, *_ENDS) or _hidden(module, producer):
            continue
        last = next((send for send in sends if send.name != "send_and_wait" and clients.comes_to_an_end(module, send)), None)
        if last is None or _awaited(module, last):
            continue
        what = {
            "kafka-python": "its exit hook closes it without waiting",
            "confluent-kafka": "librdkafka drops its queue when the process ends",
            "aiokafka": "without stop() the batches in memory are dropped",
        }[clients.library(producer)]
        message = f"the program ends without flush() or close() on this producer: records still queued are lost ({what})"
        confidence = "" if last.function is None else "medium"
        yield context.finding(
            message,
            module.call_place(last),
            [(module.call_place(call), "the producer is made here")],
            confidence=confidence,
            covers=[module.covers(last)],
        )


def _hidden(module, producer) -> bool:  # type: ignore[no-untyped-def]
    """Whether some flush or close is on something that cannot be followed, or the producer is handed to other code."""
    for call in module.named("flush", "close", "stop"):
        if call.receiver_node is not None and not module.receivers(call) and not module.qualified(call):
            return True
    for call in module.calls:
        for arg in call.node.args:
            if any(obj.node is producer.node for obj in module.objects(arg.value, call.spot)) and module.target(call) is None:
                return True
    return False


def _awaited(module, send) -> bool:  # type: ignore[no-untyped-def]
    """Whether each future is waited for."""
    if send.use == "dropped":
        return False
    return any(
        call.function is send.function and any(obj.type == "kafka.Future" for obj in module.receivers(call))
        for call in module.named("get", "result")
    )
