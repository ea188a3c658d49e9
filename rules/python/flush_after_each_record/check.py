"""`flush()` right after each `send()` or `produce()`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python import clients
from shoal.python.tree import Call

_KINDS = frozenset({"kafka.Producer", "confluent.Producer", "aiokafka.Producer", "quix.Producer"})


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    sends = module.named("send", "produce")
    for call in module.named("flush"):
        producers = [obj for obj in module.receivers(call) if obj.type in _KINDS]
        ours = [send for send in sends if any(obj.node is made.node for obj in module.receivers(send) for made in producers)]
        own = [send for send in ours if send.function is call.function] + _by_helpers(module, call, ours)
        if not own or call.spot.sometimes or call.spot.cleanup or not _each_round(module, call, own) or not _again(module, call, producers):
            continue
        message = (
            "flush() after each record waits for the brokers to take it: one round trip a record, and no batches; flush once at the end"
        )
        yield context.finding(message, module.call_place(call), covers=[module.covers(call)])


def _by_helpers(module: Any, call: Call, sends: list[Call]) -> list[Call]:
    """The calls beside a flush of functions of this module that send one record."""
    helpers = {id(send.function): send.function for send in sends if send.function is not None and not send.spot.in_loop()}
    sites = [site for function in helpers.values() if function is not call.function for site in module.call_sites(function)]
    return [site for site in sites if site.function is call.function]


def _each_round(module: Any, call: Call, own: list[Call]) -> bool:
    """Whether what is sent in a round is one record, or follows from the one record that a consumer gave."""
    here = [send for send in own if send.spot.loop is call.spot.loop]
    if len(here) == len(own):
        return True
    loops = set().union(*(clients.single_record_loops(module, consumer) for _, consumer in clients.made(module, clients.CONSUMERS)))
    return bool(here) and id(call.spot.loop) in loops


def _again(module: Any, call: Call, producers: list[Any]) -> bool:
    """Whether it is done many times: in a loop, or in a function that is called in one, or is given what it sends, for a producer of others."""
    if call.spot.in_loop():
        return True
    function = call.function
    if function is None or any(made.spot.function is function for made in producers):
        return False
    if clients.in_or_called_in(
        module, call, {id(one.node) for one in module.tree.statements if isinstance(one.node, (cst.While, cst.For))}
    ):
        return True
    return bool(function.decorators or [param for param in function.params if param.name != function.self_name])
