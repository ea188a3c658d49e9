"""A helper that starts queries, called more than once, with a checkpoint location that does not depend on the call."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding, Place
from shoal.python.tree import Call, Function
from shoal.python.values import Known

_MESSAGE = (
    "every query that {}() starts keeps its progress in {}, and it is called more than once: the second query fails with a concurrent update of the "
    "log, or takes the first one's offsets for its own (make the location depend on what is written)"
)
_WAITS = ("awaitTermination", "awaitAnyTermination", "processAllAvailable", "stop")


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for call in module.named("option"):
        function = call.function
        if (
            function is None
            or len(call.node.args) != 2
            or module.string(call.node.args[0].value, call.spot).lower() != "checkpointlocation"
        ):
            continue
        value = module.value(call.node.args[1].value, call.spot)
        if not isinstance(value, Known) or not isinstance(value.value, str) or module.receiver_type(call) != "spark.Writer":
            continue
        if not any(one.name in ("start", "toTable") for one in function.calls) or _ends(function):
            continue
        pair = _both(module, module.call_sites(function))
        if pair:
            message = _MESSAGE.format(function.name, value.value)
            related = [(module.call_place(site), "called here") for site in pair]
            yield context.finding(message, module.place(call.node.args[1].value, call.spot), related)
    yield from _elsewhere(context)


def _elsewhere(context: Context) -> Iterator[Finding]:
    """The same where the helper is another module's, and its location a text of its own or the default of a parameter that no call gives."""
    module = context.module
    sites: dict[str, list[Call]] = {}
    for call in module.calls:
        query = module.others.query(call)
        given = [arg for arg in call.node.args if not (arg.keyword is not None and arg.keyword.value in ("self", "cls"))]
        if query is not None and query.location and len(given) <= query.required and not call.has_stars:
            sites.setdefault(module.qualified(call), []).append(call)
    for calls in sites.values():
        pair = _both(module, calls)
        query = module.others.query(calls[0])
        if pair and query.at is not None:
            related = [(module.call_place(pair[0]), "called here"), (Place(*query.at), "its location")]
            message = _MESSAGE.format(pair[0].name, query.location)
            yield context.finding(message, module.call_place(pair[1]), related, covers=[module.covers(call) for call in pair])


def _ends(function: Function) -> bool:
    """Whether its query is over when the function returns, or ends by itself."""
    return any(
        call.name in _WAITS or (call.name == "trigger" and (call.has_stars or call.has_keyword("once", "availableNow")))
        for call in function.calls
    )


def _both(module: Any, sites: list[Call]) -> list[Call]:
    """Two calls of which the second surely follows the first, for another stream, while its query runs."""
    for first, second in pairwise(sites):
        if first.function is not second.function or first.spot.arms != second.spot.arms or first.spot.in_loop():
            continue
        if [_code(arg) for arg in first.node.args] == [_code(arg) for arg in second.node.args]:
            continue
        between = range(first.spot.statement, second.spot.statement)
        if not any(call.spot.statement in between for call in module.named(*_WAITS)):
            return [first, second]
    return []


def _code(node: cst.CSTNode) -> str:
    return cst.Module([]).code_for_node(node)
