"""`channel.basic_consume(queue, callback, auto_ack=True)` where what comes is sent on to Kafka."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python import clients
from shoal.python.tree import Call
from shoal.python.values import Known

# pika's and amqp's, and those of aio-pika and kombu, with the place of the option among the arguments (far away where it has none).
_CONSUMES = {"basic_consume": (2, "auto_ack"), "basic_get": (1, "auto_ack"), "consume": (99, "no_ack"), "iterator": (99, "no_ack")}
_SENDS = ("send", "send_and_wait", "produce")


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for call in module.named(*_CONSUMES):
        if call.receiver_node is None or not _done_at_once(module, call):
            continue
        sent = next((one for one in module.named(*_SENDS) if module.receiver_type(one) in clients.PRODUCERS), None)
        if sent is None:
            return
        message = "RabbitMQ takes each message for done as it hands it out: what is not yet in Kafka when this process ends, or when a send fails, is in neither (acknowledge it when its delivery is confirmed)"
        related = [(module.call_place(sent), "sent to Kafka here")]
        yield context.finding(message, module.call_place(call), related, covers=[module.covers(call)])
        return


def _done_at_once(module: Any, call: Call) -> bool:
    position, keyword = _CONSUMES[call.name]
    given = [call.argument(position, keyword), call.argument(99, "no_ack")]
    return any(node is not None and module.value(node, call.spot) == Known(True) for node in given)
