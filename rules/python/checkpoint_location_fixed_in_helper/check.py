"""A helper that starts queries, called more than once, or a loop that does, with a checkpoint location that does not depend on the call or the round."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding, Place
from shoal.python.repeated import both, ends, started_again, started_in_loop, the_same
from shoal.python.tree import Call

_MESSAGE = (
    "every query that {}() starts keeps its progress in {}, and it is called more than once: the second query fails with a concurrent update of the "
    "log, or takes the first one's offsets for its own (make the location depend on what is written)"
)
_IN_LOOP = (
    "each round starts a query that keeps its progress in {}: the second one fails with a concurrent update of the log, or takes the first one's "
    "offsets for its own (make the location depend on what is written)"
)


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for call in module.named("option"):
        function = call.function
        if len(call.node.args) != 2 or module.string(call.node.args[0].value, call.spot).lower() != "checkpointlocation":
            continue
        if module.receiver_type(call) != "spark.Writer":
            continue
        node = call.node.args[1].value
        loop = started_in_loop(module, call)
        if loop is not None and any(one.spot.loop is loop for one in module.named("start", "toTable")):
            location = the_same(module, node, call, loop=loop)
            if location:
                yield context.finding(_IN_LOOP.format(location), module.place(node, call.spot), confidence="medium")
            continue
        if function is None or not any(one.name in ("start", "toTable") for one in function.calls) or ends(function.calls):
            continue
        sites = started_again(module, function)
        location = the_same(module, node, call, sites) if sites else ""
        if location:
            related = [(module.call_place(site), "called here") for site in sites]
            message = _MESSAGE.format(function.name, location)
            yield context.finding(message, module.place(node, call.spot), related, confidence="" if len(sites) == 2 else "medium")
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
        pair = both(module, calls)
        query = module.others.query(calls[0])
        if pair and query.at is not None:
            related = [(module.call_place(pair[0]), "called here"), (Place(*query.at), "its location")]
            message = _MESSAGE.format(pair[0].name, query.location)
            yield context.finding(message, module.call_place(pair[1]), related, covers=[module.covers(call) for call in pair])
