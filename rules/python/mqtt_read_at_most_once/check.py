"""`client.subscribe(topic)` of an MQTT client, whose `qos` is 0 by default, in a module that sends to Kafka."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.python import clients
from shoal.python.tree import Call

_MQTT = pattern(r"(?m)^\s*(?:from|import)\s+(?:paho\.mqtt|aiomqtt|asyncio_mqtt)\b")


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    if not _MQTT.search(module.raw) or not _sends(module):
        return
    for call in module.named("subscribe"):
        if call.receiver_node is None or not call.node.args or call.has_stars or module.receiver_type(call) in clients.CONSUMERS:
            continue
        if _qos(module, call) == 0:
            message = "QoS 0, the default: what the broker cannot hand over at once, while this program starts, reconnects or is busy, is lost before it comes to Kafka (qos=1, and a session that is kept)"
            yield context.finding(message, module.call_place(call), covers=[module.covers(call)])


def _sends(module: Any) -> bool:
    return any(
        (kind := module.receiver_type(call)) in clients.PRODUCERS or kind == "quix.Producer"
        for call in module.named("send", "produce", "send_and_wait")
    )


def _qos(module: Any, call: Call) -> object:
    """The quality of service that is asked for; None where it is not known."""
    first = call.argument(0, "topic")
    if isinstance(first, cst.Tuple) and len(first.elements) == 2:
        return module.constant(first.elements[1].value, call.spot)
    if first is None or isinstance(first, (cst.List, cst.Tuple, cst.ListComp)):
        return None
    given = call.argument(1, "qos")
    if given is None:
        return None if call.has_keyword("options") else 0  # of MQTT 5
    return module.constant(given, call.spot)
