"""`delete_topics(…)` followed by `create_topics(…)` on one admin client."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from shoal.context import Context
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.python.tree import Call
from shoal.python.values import Sequence

_ADMINS = frozenset({"kafka.Admin", "confluent.Admin", "aiokafka.Admin"})
_WAITS = pattern(r"sleep|wait|poll|retry|describe")


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for delete in module.named("delete_topics"):
        admins = {id(obj.node) for obj in module.receivers(delete) if obj.type in _ADMINS}
        for create in module.named("create_topics") if len(admins) == 1 else ():
            if create.function is not delete.function or create.spot.statement <= delete.spot.statement:
                continue
            if {id(obj.node) for obj in module.receivers(create)} != admins or create.spot.guarded or delete.spot.excludes(create.spot):
                continue
            between = range(delete.spot.statement, create.spot.statement + 1)
            if any(call.spot.statement in between and _WAITS.search(call.name) for call in module.calls):
                continue
            gone, made = _names(module, delete), _names(module, create)
            if gone is not None and made is not None and not gone & made:
                continue
            message = "topics are deleted in the background: create_topics() right behind this may fail because they are still there; and each run throws their records away"
            related = [(module.call_place(create), "created again here")]
            yield context.finding(message, module.call_place(delete), related, covers=[module.covers(delete)])
            return


def _names(module: Any, call: Call) -> set[str] | None:
    """The topics that a call names; None when not all are known."""
    node = call.argument(0, "topics") or call.argument(0, "new_topics")
    value = module.value(node, call.spot) if node is not None else None
    if not isinstance(value, Sequence) or value.open:
        return None
    found = set()
    for part in value.nodes:
        made = next((other for other in module.named("NewTopic") if other.node is part), None)
        name = (
            module.string(made.argument(0, "name") or made.argument(0, "topic"), made.spot)
            if made is not None
            else module.string(part, value.spot)
        )
        found.add(name)
    return found if all(found) else None
