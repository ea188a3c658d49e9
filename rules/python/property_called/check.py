"""`query.lastProgress()`, `query.isActive()`: properties of PySpark, called as the methods that Scala and Java have. Read in PySpark 3.5 and 4.3."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.tree import Call, dotted
from shoal.python.values import Symbol, names

_PROPERTIES = {
    "spark.StreamingQuery": names("isActive lastProgress recentProgress status id runId name"),
    "spark.QueryManager": names("active"),
    "spark.DataFrame": names("columns dtypes isStreaming na rdd schema sparkSession stat storageLevel write writeStream"),
    "spark.Session": names("read readStream streams sparkContext version"),
}
_ALL = frozenset().union(*_PROPERTIES.values())
# Nothing else has these, so that it need not be known where the query comes from.
_OF_QUERIES_ALONE = names("lastProgress recentProgress")


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for call in module.named(*_ALL, "builder"):
        if call.node.args or call.spot.expects_error() or not isinstance(call.node.func, cst.Attribute):
            continue
        confidence = _sure(module, call)
        if confidence is None:
            continue
        message = (
            f"this ends with a TypeError: {call.name} is a property in PySpark, and what it gives cannot be called; leave the brackets out"
        )
        yield context.finding(message, module.call_place(call), confidence=confidence, covers=[module.covers(call)])


def _sure(module: Any, call: Call) -> str | None:
    """With what confidence this is a call of what a property gives; None where it may well be a method."""
    if call.name == "builder":
        cls = module.receiver(call)
        return "" if isinstance(cls, Symbol) and cls.top == "pyspark" and cls.last == "SparkSession" else None
    receivers = module.sure_receivers(call)
    if receivers:
        return "" if all(call.name in _PROPERTIES.get(obj.type, ()) for obj in receivers) else None
    # the JVM's own query has methods: `query._jsq.lastProgress()`
    known = "._j" in dotted(call.receiver_node) or "pyspark" not in module.text.text
    return "medium" if call.name in _OF_QUERIES_ALONE and not known else None
