"""`query.stop()` in the foreachBatch function of a query.

Tried on Spark 3.5.7 and 4.3.0: stop() interrupts the thread that runs the query and waits for it, and is called by that very thread. It raises an
InterruptedException at once, what follows in the function is not done, the query ends as if all was well, and the batch is not committed: the next start runs
it again. Nothing is lost where nothing was written before; caught in the function, the batch is committed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.clients import handlers
from shoal.python.flow import catches_all, reraises
from shoal.python.frame import Sink
from shoal.python.tree import Call, Function, chain, dotted


def check(job: Job, context: Context) -> Iterator[Finding]:
    """What is merged, or written over, may be written again."""
    module = context.module
    for function, _ in module.contexts.running("foreach-batch"):
        for call in function.calls:
            if call.name != "stop" or not _is_query(module, call, function) or _caught(call):
                continue
            written = next(
                (
                    one.call
                    for one in module.frames.batch_calls(function)
                    if one.kind == "save" and _appends(module, one.call) and module.frames.follows(function, one.call, call)
                ),
                None,
            )
            if written is None:
                continue
            message = (
                "stop() fails here with an InterruptedException, for it waits for the thread that runs this function: the batch is not committed, "
                "and what was written of it is written again at the next start; stop the query from the thread that waits for it"
            )
            yield context.finding(message, module.call_place(call), [(module.call_place(written), "written before")])


def _is_query(module: Any, call: Call, function: Function) -> bool:
    """Whether what is stopped is the query that runs the function, or every query there is."""
    name = call.receiver_node.value if isinstance(call.receiver_node, cst.Name) else ""
    bound = [binding for binding, _ in module.lookup(name, call.spot)] if name else []
    if _one_of_all(call.receiver_node) or (bound and all(_all(one.node) if one.kind == "for" else _one_of_all(one.node) for one in bound)):
        return True
    queries = [obj for obj in module.receivers(call) if obj.type == "spark.StreamingQuery"]
    sinks = [module.frames.sink_of(query) for query in queries]
    return bool(sinks) and all(sink is not None and _runs(module, sink, function) for sink in sinks)


def _all(node: Any) -> bool:
    """`spark.streams.active`"""
    return dotted(node).endswith(".streams.active")


def _one_of_all(node: Any) -> bool:
    """`batch.sparkSession.streams.active[0]`"""
    return isinstance(node, cst.Subscript) and _all(node.value)


def _runs(module: Any, sink: Sink, function: Function) -> bool:
    given = sink.calls.get("foreachBatch")
    given_to = module.function_of(given.argument(0, "func"), given.spot) if given is not None else []
    return any(one is function or (one.is_lambda and function in map(module.target, one.calls)) for one in given_to)


def _caught(call: Call) -> bool:
    return any(catches_all(handler) and not reraises(handler) for handler in handlers(call))


def _appends(module: Any, call: Call) -> bool:
    """Whether a write surely adds to what there is."""
    before = chain(call)
    mode = before["mode"].argument(0, "saveMode") if "mode" in before else None
    return (call.name == "append" and "writeTo" in before) or (mode is not None and module.string(mode, call.spot) == "append")
