"""`AdminClient.create_topics(…)` of confluent-kafka gives back a future for each topic; it waits for none and raises nothing of theirs."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python import clients

_CALLS = ("create_topics", "delete_topics", "create_partitions", "alter_configs", "incremental_alter_configs")


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for call in module.named(*_CALLS):
        if module.receiver_type(call) != "confluent.Admin" or not (call.use == "dropped" or clients.unread(module, call)):
            continue
        if call.spot.expects_error():
            continue  # a test of what the call itself refuses
        if any(asked.function is call.function and asked.spot.loops for asked in module.named("list_topics", "describe_topics")):
            continue  # it asks the cluster until it sees the outcome
        message = (
            f"whether {call.name}() has worked is seen by nobody: it only asks, in the background, and each future that it gives back raises what "
            "went wrong; a program that ends or goes on at once may find nothing done (call result() on each)"
        )
        yield context.finding(message, module.call_place(call), covers=[module.covers(call)])
