"""Endless loops of a driver that see a failed query, or do not even look, and go on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.flow import endless
from shoal.python.tree import Statement, descend, last_name
from shoal.python.values import names

# Calls that neither end the driver nor start a query again.
_IDLE = names(
    "print error warning exception info debug warn critical log str repr format len items values keys get dumps sleep time now isoformat round"
    # what looks after tables beside the stream: a query's failure is not raised there
    " sql show collect count first toPandas strftime timedelta"
)
# Whoever does one of these hears of a query's end elsewhere.
_HEARS = ("awaitAnyTermination", "addListener", "processAllAvailable")
_ENDS = (cst.Return, cst.Break, cst.Raise, cst.Yield, cst.Await)


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    started = [call for call in module.named("start", "toTable") if any(obj.type == "spark.Writer" for obj in module.receivers(call))]
    if not started or module.notebook or module.named(*_HEARS):
        return
    for statement in module.tree.statements:
        loop = statement.node
        if not isinstance(loop, cst.While) or not endless(loop) or not _idle(loop.body):
            continue
        looked = _looked(module, loop)
        if looked is not None:
            asked, spot = looked
            message = "a query that failed is only logged, once a round: the driver stays RUNNING without it, and nothing that restarts drivers notices (raise query.exception(), or use spark.streams.awaitAnyTermination())"
            yield context.finding(message, module.place(asked, spot))
        elif _only_sleeps(loop) and not module.named("awaitTermination") and _above(started, statement):
            message = "nothing looks at the query here: when it fails the driver stays RUNNING without it, and nothing that restarts drivers notices (use query.awaitTermination())"
            yield context.finding(message, module.place(loop.test, statement.spot), confidence="low")


def _idle(body: Any) -> bool:
    """Whether a loop never leaves, and does nothing that could end the driver or start a query."""
    for part in descend(body):
        if isinstance(part, _ENDS):
            return False
        if isinstance(part, cst.Call) and not _asks(part):
            func = part.func
            if last_name(func) not in _IDLE:
                return False
    return True


def _asks(node: Any) -> bool:
    """`query.exception()`, `query.isActive`."""
    if isinstance(node, cst.Call):
        return isinstance(node.func, cst.Attribute) and node.func.attr.value == "exception" and not node.args
    return isinstance(node, cst.Attribute) and node.attr.value == "isActive"


def _looked(module: Any, loop: Any) -> tuple[Any, Any] | None:
    """Where the loop asks a query whether it has failed, in the test of an `if`."""
    for statement in module.tree.statements:
        if isinstance(statement.node, cst.If) and any(arm.test is loop for arm in statement.spot.arms):
            asked = next((part for part in descend(statement.node.test) if _asks(part)), None)
            if asked is not None:
                return asked, statement.spot
    return None


def _only_sleeps(loop: Any) -> bool:
    return any(isinstance(part, cst.Call) for part in descend(loop.body)) and not any(
        isinstance(part, cst.If) for part in descend(loop.body)
    )


def _above(started: list[Any], loop: Statement) -> bool:
    """Whether a query is surely started in front of the loop, where the loop stands."""
    return any(
        call.function is loop.spot.function and call.spot.statement < loop.spot.statement and set(call.spot.arms) <= set(loop.spot.arms)
        for call in started
    )
