"""`producer.flush(10)` as a statement: when the time is over it returns how many records are left, and raises nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.python import clients, sends
from shoal.python.tree import ASSIGNMENTS, Call, targets
from shoal.python.values import Known

# How a program notes that something was sent: `row.published_at = now()`, `store.mark_published(event.id)`.
_DONE = pattern(r"(?i)publish|sent|processed|deliver|dispatched|done")


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Outside of loops: in one the next flush, or poll, takes what is left, unless it is noted before that all is sent."""
    module = context.module
    ended = set()  # the ways on which a program ends
    for call in module.named("flush"):
        node = call.argument(0, "timeout")
        if node is None or call.use != "dropped" or module.receiver_type(call) not in ("confluent.Producer", "confluent.AsyncProducer"):
            continue
        if _only_asks(module, call):
            continue
        value = module.value(node, call.spot)
        if isinstance(value, Known) and not (isinstance(value.value, (int, float)) and value.value > 0):
            continue  # without a limit it returns when nothing is left
        if call.spot.in_loop():
            noted = _noted(module, call)
            if noted is not None:
                message = "when the time is over, flush() returns how many records are left and raises nothing: what is then noted as sent may still be in the queue, and is lost with the process"
                yield context.finding(message, module.call_place(call), [(noted, "noted here")], covers=[module.covers(call)])
            continue
        way = (id(call.function), call.spot.arms)
        if way in ended:
            continue
        message = "when the time is over, flush() returns how many records are left and raises nothing: they are lost with the process, and nobody hears of it"
        yield context.finding(message, module.call_place(call), covers=[module.covers(call)])
        ended.add(way)


def _only_asks(module: Any, flush: Call) -> bool:
    """Whether a function has a producer only to see whether the brokers answer: there is nothing to flush."""
    used = {
        call.name
        for call in (flush.function.calls if flush.function is not None else ())
        if module.receiver_type(call) == "confluent.Producer"
    }
    return "list_topics" in used and "produce" not in used


def _noted(module: Any, flush: Call) -> Any:
    """Where the same round notes, behind a flush, that the record is done with: its offset is committed, or a row of an outbox marked."""

    def behind(spot: Any) -> bool:  # and under no condition of its own, which may ask what was delivered
        return spot.function is flush.function and spot.statement > flush.spot.statement and spot.arms == flush.spot.arms

    for call in module.calls:
        if behind(call.spot) and (
            sends.MARKS.match(call.name) or (call.name == "commit" and any(one.type in clients.CONSUMERS for one in module.receivers(call)))
        ):
            return module.call_place(call)
    for statement in module.tree.statements:
        if isinstance(statement.node, ASSIGNMENTS) and behind(statement.spot):
            for target in targets(statement.node):
                if isinstance(target, cst.Attribute) and _DONE.search(target.attr.value):
                    return module.place(target, statement.spot)
    return None
