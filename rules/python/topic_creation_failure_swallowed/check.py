"""`except Exception` around `create_topics()`, or around its futures, that takes whatever is raised for a topic that is there already."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python import clients, handlers
from shoal.python.flow import catches_all, reraises
from shoal.python.tree import Call, descend, is_none

_ADMINS = frozenset({"kafka.Admin", "confluent.Admin", "aiokafka.Admin"})
# What a topic is asked to be, beside its name, by position and keyword: its partitions and replicas.
_ASKED = ((1, "num_partitions"), (2, "replication_factor"))
_CONFIGS = ("topic_configs", "config", "replica_assignments", "replica_assignment")


def check(job: Job, context: Context) -> Iterator[Finding]:
    """A topic that is asked for without more than its name is what the broker makes by itself."""
    module = context.module
    if not any(_asks_for_more(module, call) for call in module.named("NewTopic")):
        return
    told: set[int] = set()
    for create in module.named("create_topics"):
        kind = module.receiver_type(create)
        # confluent-kafka's futures raise, the others' call does
        raising = [call for call in module.named("result") if call.function is create.function] if kind == "confluent.Admin" else [create]
        for call in raising if kind in _ADMINS else ():
            handler = next((one for one in clients.handlers(call) if catches_all(one)), None)
            if handler is None or id(handler) in told or _tries_again(call) or not _only_tells(handler):
                continue
            told.add(id(handler))
            message = "whatever keeps the topic from being made is only logged, and the program goes on: with too few brokers for its replicas, or without the right to, the broker makes it with its own defaults when it is first asked for, or nobody does (let all but TopicAlreadyExistsError raise)"
            yield context.finding(message, module.handler_place(handler), [(module.call_place(create), "asked for here")])


def _asks_for_more(module: Any, call: Call) -> bool:
    """Whether a topic is to have several partitions or replicas, or settings of its own; what cannot be known may."""
    if call.has_keyword(*_CONFIGS) or call.has_stars:
        return True
    given = [node for position, name in _ASKED if (node := call.argument(position, name)) is not None]
    return any(module.constant(node, call.spot) not in (1, -1) for node in given)


def _tries_again(call: Call) -> bool:
    """Whether a loop around is one of attempts; one over topics or their futures is not."""
    return any(
        isinstance(loop, cst.While) or (isinstance(loop.iter, cst.Call) and getattr(loop.iter.func, "value", "") == "range")
        for loop in call.spot.loops
        if isinstance(loop, (cst.While, cst.For))
    )


def _only_tells(handler: Any) -> bool:
    """Whether a handler does no more than tell, whatever has failed, and lets the function go on or return."""
    if reraises(handler) or not handlers.called(handler.body) <= handlers.TELLS:
        return False
    return not any(
        isinstance(part, (cst.If, cst.IfExp, cst.Continue))
        or (isinstance(part, cst.Return) and part.value is not None and not is_none(part.value))
        for part in descend(handler.body)
    )
