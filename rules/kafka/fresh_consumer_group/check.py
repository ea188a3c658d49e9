"""`group.id` with a random part or the time of the start."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding, Span
from shoal.templates import kafka, made_up


def check(job: Job, context: Context) -> Iterator[Finding]:
    consumers = [*kafka.clients(job, "consumer")]
    apart = _without_group(context) if consumers else set()
    for block in consumers:
        if block.place.span in apart:
            continue
        group = kafka.find(job, block, "group.id")
        if group is None or not made_up.anew(context, group):
            continue
        message = (
            "the group is another one at every start: what the last run committed is never found again, so records are read twice or skipped "
            "as auto.offset.reset says, and the old groups stay with the brokers"
        )
        yield context.finding(message, group)


def _without_group(context: Context) -> set[Span]:
    """Where consumers are made that are given their partitions, or only asked about topics: to them the name of the group means nothing."""
    module, found = context.module, set[Span]()
    if module is None:
        return found
    from shoal.python import clients  # LibCST comes with it

    for call, consumer in clients.made(module, clients.CONSUMERS):
        subscribes = clients.uses(module, consumer, "subscribe") or (
            clients.library(consumer) != "confluent-kafka" and call.node.args and not call.node.args[0].keyword
        )
        if not subscribes and clients.uses(module, consumer, "assign", "list_topics", "partitions_for_topic"):
            found.add(module.call_place(call).span)
    return found
