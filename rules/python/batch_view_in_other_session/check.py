"""A view of the batch asked of the session that started the query: queries run in a clone of it (run on 4.3)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.frame import MICRO_BATCH
from shoal.python.texts import text_of
from shoal.python.tree import Call

# Global ones are seen by all sessions.
_LOCAL = ("createOrReplaceTempView", "createTempView", "registerTempTable")


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    if module.named("forEachBatch"):  # of Glue, with frames and sessions of its own
        return
    calls = [call for function, _ in module.contexts.running("foreach-batch") for call in function.calls]
    views = {name: call for call in calls if call.name in _LOCAL and (name := module.string(call.argument(0, "name"), call.spot))}
    # one that is also made of something else may be meant
    for call in module.named(*_LOCAL):
        if not _of_batch(module, call):
            views.pop(module.string(call.argument(0, "name"), call.spot), None)
    for call in calls:
        name = next((one for one in views if _asks(module, call, one)), "")
        if name and _outside(module, call.receiver_node, call.spot):
            message = (
                f"the batch fails here, the view {name} cannot be found: it is one of the query's own session, a clone of the one that is asked; "
                "ask the batch's sparkSession"
            )
            related = [(module.call_place(views[name]), "a view of the batch")]
            yield context.finding(message, module.call_place(call), related, covers=[module.covers(call)])


def _of_batch(module: Any, call: Call) -> bool:
    """Whether a view is one of the batch, or of a frame that was made from it: its session is that of the first of them."""
    ways = module.frames.receivers(call)
    return bool(ways) and all(list(frame.line())[-1].op == MICRO_BATCH for frame in ways)


def _asks(module: Any, call: Call, view: str) -> bool:
    """Whether a call reads a view: `sql("… from view")`, `table("view")`, `read.table("view")`."""
    if call.name == "table":
        return bool(module.string(call.argument(0, "tableName"), call.spot) == view)
    asked = call.argument(0, "sqlQuery") if call.name == "sql" else None
    text = text_of(module, asked, call.spot) if asked is not None else None
    return text is not None and re.search(rf"(?i)\b(?:from|join|using)\s+`?{re.escape(view)}`?(?![\w.`])", text.text) is not None


def _outside(module: Any, node: Any, spot: Any) -> bool:
    """Whether a method is called on a session that was made, or on the one that notebooks are given."""
    if isinstance(node, cst.Attribute) and node.attr.value == "read":
        node = node.value
    if isinstance(node, cst.Name) and node.value == "spark" and not any(module.lookup("spark", spot)):
        return True
    found = module.objects(node, spot) if node is not None else []
    return bool(found) and all(one.type == "spark.Session" and isinstance(one.node, cst.Call) for one in found)
