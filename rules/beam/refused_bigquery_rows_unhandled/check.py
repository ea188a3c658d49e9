"""`WriteToBigQuery` by streaming inserts that retries a refused row for ever, or whose refused rows nobody takes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python import dofns
from shoal.python.clients import reads
from shoal.python.tree import Call, descend
from shoal.templates import beam

# Any other text is taken for RETRY_NEVER: `RetryStrategy.should_retry` retries for the strategies that it knows alone.
_RETRIES = ("RETRY_ALWAYS", "")
_DROPS = ("RETRY_NEVER", "RETRY_ON_TRANSIENT_ERROR")
# Whoever asks the result for one of these takes the refused rows.
_REFUSED = ("failed_rows", "failed_rows_with_errors")
_TAGS = ("FAILED_ROWS", "FAILED_ROWS_WITH_ERRORS")


def check(job: Job, context: Context) -> Iterator[Finding]:
    """A pipeline that streams inserts rows one by one; a batch pipeline loads files, where a bad row fails the job, unless it is told to insert them, too."""
    module = context.module
    streams = beam.unbounded(job, module)
    # the last table of refused rows, behind another write, has to end somewhere
    handled = bool(module.tree.attribute_names & {*_REFUSED, *_TAGS}) or "FailedRows" in module.raw
    for call in dofns.bigquery_writes(module):
        if call.has_stars:
            continue
        method, strategy = dofns.member(module, call, 13, "method"), dofns.member(module, call, 14, "insert_retry_strategy")
        if method not in ("STREAMING_INSERTS", "DEFAULT", "STORAGE_WRITE_API") or (method != "STREAMING_INSERTS" and not streams):
            continue
        kept, given = _kept(module, call), call.argument(14, "insert_retry_strategy")
        place, covers = module.call_place(call), [module.covers(call)]
        if method == "STORAGE_WRITE_API":
            if kept == "" and not handled:
                message = "rows that BigQuery refuses leave the pipeline here unseen: the Storage Write API gives them out as failed_rows, and nobody takes them"
                yield context.finding(message, place, covers=covers)
        elif strategy in _DROPS or (isinstance(told := module.constant(given, call.spot), str) and told not in _RETRIES):
            if kept == "":
                place = module.place(given, call.spot)
                does = (
                    f"{strategy} gives them"
                    if strategy in _DROPS
                    else f"Beam, which knows no strategy {told}, never retries and gives them"
                )
                message = f"rows that BigQuery refuses vanish: {does} out as failed_rows, and nobody takes them"
                yield context.finding(message, place, confidence="" if handled else "medium", covers=covers)
        elif strategy == "DEFAULT" and kept and _taken(module, kept):
            message = "the failed rows that are handled below never come: without an insert_retry_strategy a row that BigQuery refuses is retried for ever, and holds up those behind it"
            yield context.finding(message, place, confidence="medium", covers=covers)
        elif strategy == "DEFAULT" and not handled:
            message = "a row that BigQuery refuses (it does not fit the schema) is retried for ever, and holds up those behind it: RETRY_ALWAYS is the default; use RETRY_ON_TRANSIENT_ERROR and write failed_rows elsewhere"
            yield context.finding(message, place, covers=covers)


def _kept(module: Any, call: Call) -> str | None:
    """The name that holds the result of the pipeline that a write ends, empty when nobody holds it, None where it goes elsewhere."""
    statement = module.tree.statements[call.spot.statement].node
    if not isinstance(statement, (cst.Expr, cst.Assign)):
        return None
    last = statement.value
    while isinstance(last, cst.BinaryOperation) and isinstance(last.operator, (cst.BitOr, cst.RightShift)):
        last = last.right
    if last is not call.node:
        return None
    if isinstance(statement, cst.Expr):
        return ""
    target = statement.targets[0].target
    if len(statement.targets) != 1 or not isinstance(target, cst.Name):
        return None
    name = str(target.value)
    return name if reads(module, name, call.spot.scope) else ""


def _taken(module: Any, name: str) -> bool:
    """Whether the code asks a result for its refused rows."""
    for node in descend(module.tree.node):
        if (
            isinstance(node, cst.Attribute)
            and node.attr.value in _REFUSED
            and isinstance(node.value, cst.Name)
            and node.value.value == name
        ):
            return True
        if isinstance(node, cst.Subscript) and isinstance(node.value, cst.Name) and node.value.value == name:
            return True
    return False
