"""`WebSocketApp.run_forever()` beside a Kafka producer, once and without `reconnect`: it returns when the connection ends (websocket-client 1.9.2)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.python import clients
from shoal.python.tree import ASSIGNMENTS, Call, dotted, given_to, last_name
from shoal.python.values import Known

# What opens it again in a way that is not looked at any further.
_AGAIN = pattern(r"(?i)re_?connect|@retry|tenacity|backoff|restart")
_APP = "WebSocketApp"


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    if module.notebook or not clients.held(module, clients.PRODUCERS):
        return
    for call in module.named("run_forever"):
        if call.has_stars or call.has_keyword("dispatcher") or not _of_app(module, call):
            continue
        given = call.argument(-1, "reconnect")
        value = module.value(given, call.spot) if given is not None else None
        if given is not None and not (isinstance(value, Known) and not value.value):
            continue
        if (given is None and _AGAIN.search(module.raw)) or not _once(module, call, 0):
            continue
        message = "when the other side ends the connection, run_forever returns, and the program ends without a failure: nothing is sent to Kafka any more (reconnect=5)"
        yield context.finding(message, module.call_place(call), covers=[module.covers(call)])


def _of_app(module: Any, call: Call) -> bool:
    """Whether a call is on what `WebSocketApp(…)` made, here or under the same attribute."""
    node = call.receiver_node
    if isinstance(node, cst.Call):
        return last_name(node.func) == _APP
    name = dotted(node) if node is not None else ""
    made = [one.node.value for one in given_to(module.tree, name) if isinstance(one.node, ASSIGNMENTS)]
    return bool(name and made) and all(isinstance(one, cst.Call) and last_name(one.func) == _APP for one in made)


def _once(module: Any, call: Call, level: int) -> bool:
    """Whether the program comes to a call once, as its last work: in no loop, on no thread, and from no handler that opens it again."""
    if call.spot.in_loop() or level > 4 or any(arm.kind == "except" for arm in call.spot.arms):
        return False
    if call.function is None:
        return True
    sites = module.call_sites(call.function)
    return len(sites) == 1 and _once(module, sites[0], level + 1)
