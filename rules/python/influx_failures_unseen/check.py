"""`write_api()` of influxdb-client as it is by default (read in 1.50.0): a thread collects points and sends them, and logs what fails."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python import clients
from shoal.python.tree import ASSIGNMENTS, Call, dotted, given_to, is_none, last_name

_MADE = "write_api"
# What tells whether points came, or waits for those that are collected.
_ASKS = ("error_callback", "success_callback", "retry_callback")
_WAITS = ("flush", "close", "__exit__")
_ENGINES = ("foreach-batch", "operator", "dofn", "foreach")


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    if "influxdb_client" not in module.raw:
        return
    loops = clients.all_record_loops(module)
    for call in module.named("write"):
        made = _made(module, call)
        if made is None or not _collects(module, made):
            continue
        kinds = module.contexts.kinds(call.function)
        if kinds & set(_ENGINES):
            sure, what = "medium", "the batch, or the checkpoint, counts as done"
        elif kinds & {"record", "agent"} or clients.in_or_called_in(module, call, loops):
            sure, what = "low", "the offsets are committed"
        else:
            continue
        if any(dotted(other.receiver_node) == dotted(call.receiver_node) for other in module.named(*_WAITS) if other.receiver_node):
            continue
        message = f"write() only collects points, which a thread sends later: {what} before they are there, and what InfluxDB refuses is logged and lost (write_options=SYNCHRONOUS)"
        related = [(module.call_place(made), "collects, as it is by default")]
        yield context.finding(message, module.call_place(call), related, confidence=sure, covers=[module.covers(call)])


def _made(module: Any, call: Call) -> Call | None:
    """The `write_api(…)` that made what a call is on, where there is only one: not one that a `with` ends, which waits for all points."""
    node = call.receiver_node
    if isinstance(node, cst.Call):
        return next((one for one in module.named(_MADE) if one.node is node), None)
    name = dotted(node) if node is not None else ""
    given = [one.node.value for one in given_to(module.tree, name) if isinstance(one.node, ASSIGNMENTS)]
    nothing = [one for one in given if is_none(one)]
    made = [one for one in given if isinstance(one, cst.Call) and last_name(one.func) == _MADE]
    if not name or len(made) != 1 or len(made) + len(nothing) < len(given):
        return None
    return next((one for one in module.named(_MADE) if one.node is made[0]), None)


def _collects(module: Any, made: Call) -> bool:
    """Whether nothing says that points are written at once, or who hears of those that are not."""
    if made.has_stars or made.has_keyword(*_ASKS):
        return False
    options = made.argument(0, "write_options")
    if options is None:
        return True
    if isinstance(options, cst.Name):
        bound = [one.node for one, _ in module.lookup(options.value, made.spot) if one.kind == "assign"]
        options = bound[0] if len(bound) == 1 else options
    return (
        isinstance(options, cst.Call)
        and last_name(options.func) == "WriteOptions"
        and not any(arg.star or arg.keyword is None or arg.keyword.value == "write_type" for arg in options.args)
    )
