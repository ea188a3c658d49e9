"""`delete_topics(…)` followed by `create_topics(…)` on one admin client."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.python import clients
from shoal.python.tree import Call, descend
from shoal.python.values import Sequence

_ADMINS = frozenset({"kafka.Admin", "confluent.Admin", "aiokafka.Admin"})
_WAITS = pattern(r"sleep|wait|poll|retry|describe")
# A condition by which whoever starts the program asks for it.
_ASKED = pattern(r"(?i)reset|force|creat|clean|purge|delet|drop|fresh|arg|opt|mode|env|config|setting|answer|confirm|input")


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for delete in module.named("delete_topics"):
        admins = {id(obj.node) for obj in module.receivers(delete) if obj.type in _ADMINS}
        for create in module.named("create_topics") if len(admins) == 1 else ():
            if create.function is not delete.function or create.spot.statement <= delete.spot.statement:
                continue
            if {id(obj.node) for obj in module.receivers(create)} != admins or delete.spot.excludes(create.spot):
                continue
            gone, made = _names(module, delete), _names(module, create)
            if gone is not None and made is not None and not gone & made:
                continue
            between = range(delete.spot.statement, create.spot.statement + 1)
            related = [(module.call_place(create), "created again here")]
            if not create.spot.guarded and not any(call.spot.statement in between and _WAITS.search(call.name) for call in module.calls):
                message = "topics are deleted in the background: create_topics() right behind this may fail because they are still there; and each run throws their records away"
            elif (sends := _fed(module)) is not None and not _asked(module, delete):
                message = "each start of this producer deletes its topics: records that nobody has read yet are gone, and so are the groups' places (create only what is not there)"
                related.append((module.call_place(sends), "sent here"))
            else:
                continue
            yield context.finding(message, module.call_place(delete), related, covers=[module.covers(delete)])
            return


def _fed(module: Any) -> Call | None:
    """A call by which the same program sends records."""
    makes = (producer for _, producer in clients.made(module, clients.PRODUCERS))
    return next((call for producer in makes for call in clients.uses(module, producer, "send", "produce", "send_and_wait")), None)


def _asked(module: Any, delete: Call) -> bool:
    """Whether topics are deleted only where whoever starts the program wants it, or where nobody in the program calls it."""
    ways = [delete]
    if delete.function is not None:
        ways += (sites := module.call_sites(delete.function))
        if not sites:
            return True
    tests = [arm.test for way in ways for arm in way.spot.arms if arm.kind in ("if", "else") and arm.test is not None]
    return any(isinstance(part, cst.Name) and _ASKED.search(part.value) for test in tests for part in descend(test))


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
