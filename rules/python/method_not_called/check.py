"""`query.awaitTermination` without brackets: the name of a method, which does nothing."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.clients import CONSUMERS, PRODUCERS
from shoal.python.values import names

_METHODS = {
    "spark.StreamingQuery": names("awaitTermination stop processAllAvailable"),
    "spark.QueryManager": names("awaitAnyTermination resetTerminated"),
    "spark.Writer": names("start toTable"),
    "spark.BatchWriter": names("save saveAsTable insertInto append"),
    "spark.Session": names("stop"),
    "flink.Environment": names("execute execute_async"),
    "flink.TableResult": names("wait print"),
    **dict.fromkeys(PRODUCERS, names("flush close poll stop commit_transaction begin_transaction init_transactions")),
    **dict.fromkeys(CONSUMERS, names("close commit poll stop unsubscribe")),
}


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    if module.notebook:
        return  # the last line of a cell shows what it names
    for statement in module.tree.statements:
        node = statement.node.value if isinstance(statement.node, cst.Expr) else None
        if isinstance(node, cst.Attribute) and node.attr.value in _METHODS.get(module.type_of(node.value, statement.spot), ()):
            name = node.attr.value
            yield context.finding(
                f"{name} is only named here, not called: without brackets nothing happens", module.place(node.attr, statement.spot)
            )
