"""A commit that waits for the broker, in each round of a loop that takes one record a round."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python import clients
from shoal.python.tree import Call


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for consumer in clients.held(module, clients.CONSUMERS):
        loops = clients.single_record_loops(module, consumer)
        taking = [call.function for call in clients.takes_one(module, consumer) if not call.spot.in_loop()]
        takers = {id(function) for function in taking if function is not None and function is not consumer.spot.function}
        for call in clients.uses(module, consumer, "commit"):
            if _waits(call, clients.library(consumer)) and _each_time(module, call, loops, takers):
                message = (
                    "commit() after each record waits for the broker: no more records a second than round trips; commit once every so many records or seconds"
                    " (what was not committed comes again after a crash, as it does now)"
                )
                yield context.finding(message, module.call_place(call), covers=[module.covers(call)])


def _waits(call: Call, library: str) -> bool:
    """confluent-kafka's commit only asks, unless it is told `asynchronous=False`."""
    if library == "confluent-kafka":
        given = call.argument(99, "asynchronous")
        return isinstance(given, cst.Name) and given.value == "False"
    return library == "kafka-python" or call.use == "awaited"


def _each_time(module: Any, call: Call, loops: set[int], takers: set[int]) -> bool:
    """In a loop over records, or in a function that takes one or that such a loop calls."""
    if call.spot.sometimes or call.spot.cleanup:
        return False
    if call.spot.in_loop() or call.function is None:
        return id(call.spot.loop) in loops
    sites = module.call_sites(call.function)
    each = all(id(site.spot.loop) in loops and not (site.spot.sometimes or site.spot.cleanup) for site in sites)
    return id(call.function) in takers or (bool(sites) and each)
