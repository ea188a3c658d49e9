"""`consumer_timeout_ms` on a consumer of kafka-python that is only polled: `KafkaConsumer.__next__` alone reads it (2.0.2 to 3.0.12)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python import clients
from shoal.python.tree import descend


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    blocks = {block.place.span: block for block in job.select("kafka", ("consumer",), ("python",))}
    for call, consumer in clients.made(module, frozenset({"kafka.Consumer"})):
        block = blocks.get(module.call_place(call).span)
        timeout = job.written(block, "consumer.timeout.ms") if block is not None else None
        polls = clients.uses(module, consumer, "poll")
        if timeout is None or timeout.sure != "sure" or not polls or _iterated(module, consumer) or clients.handed_on(module, consumer):
            continue
        message = f"{timeout.text} ms end nothing here: consumer_timeout_ms ends a loop over the consumer, and this one is only polled, which goes by timeout_ms alone"
        related = [(module.call_place(polls[0]), "waits as long as this says")]
        # who else is given the consumer may read it in a loop
        kept = clients.given_back(module, consumer) or (call.function is not None and call.function.cls is not None)
        yield context.finding(message, timeout.key_place(), related, confidence="low" if kept else "", covers=[timeout])


def _iterated(module: Any, consumer: Any) -> bool:
    """Whether the module takes records from a consumer in a loop, a comprehension, or by what calls its `__next__`."""
    if clients.loops_over(module, consumer):
        return True
    for call in module.calls:
        if call.receiver_node is None and any(_is(module, arg.value, call.spot, consumer) for arg in call.node.args):
            return True
    statements = [one for one in module.tree.statements if isinstance(one.node, cst.BaseSmallStatement)]
    loops = ((part.iter, one.spot) for one in statements for part in descend(one.node) if isinstance(part, cst.CompFor))
    return any(_is(module, node, spot, consumer) for node, spot in loops)


def _is(module: Any, node: Any, spot: Any, consumer: Any) -> bool:
    return isinstance(node, (cst.Name, cst.Attribute)) and any(obj.node is consumer.node for obj in module.objects(node, spot))
