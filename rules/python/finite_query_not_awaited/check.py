"""`ingest("orders")` beside `ingest("users").awaitTermination()`: of a function that starts `availableNow` queries, only some are waited for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.tree import Call, Function, chain

# Who asks for all queries of the session waits for this one as well.
_ALL = frozenset({"awaitAnyTermination", "active", "processAllAvailable"})


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    if module.tree.attribute_names & _ALL:
        return
    awaited: dict[int, Call] = {}
    for wait in module.named("awaitTermination"):
        started = _started(module, wait.receiver_node, wait.spot)
        if started is not None:
            awaited[id(started)] = wait
    for call in module.calls:
        function = module.target(call) if call.use == "dropped" and awaited else None
        wait = awaited.get(id(function)) if function is not None else None
        if wait is None or wait.spot.scope is not call.spot.scope or wait.spot.statement < call.spot.statement:
            continue
        message = (
            "nothing waits for this query, as it is done for the one below: what reads its table next finds none, or a part of its rows; "
            "keep the queries and await each of them"
        )
        yield context.finding(message, module.call_place(call), [(module.call_place(wait), "awaited here")], covers=[module.covers(call)])


def _started(module: Any, node: Any, spot: Any) -> Function | None:
    """The function of this module that starts the finite query which an expression calls it for."""
    call = next((one for one in module.calls if one.node is node), None) if isinstance(node, cst.Call) else None
    function: Function | None = module.target(call) if call is not None else None
    return function if function is not None and function.returns and all(_finite(module, *one) for one in function.returns) else None


def _finite(module: Any, node: Any, spot: Any) -> bool:
    call = next((one for one in module.named("start", "toTable", "table") if one.node is node), None)
    trigger = chain(call).get("trigger") if call is not None else None
    return trigger is not None and trigger.has_keyword("availableNow", "once") and module.type_of(node, spot) == "spark.StreamingQuery"
