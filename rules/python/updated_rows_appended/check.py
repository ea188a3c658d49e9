"""An aggregation in `update` or `complete` mode whose batches a foreachBatch function appends, or adds to what is stored."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from shoal.context import Context
from shoal.inserts import adds
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding, Place
from shoal.python.batch_writes import APPENDS, does_with, parameters, save_format, save_mode, steps
from shoal.python.dbapi import EXECUTES, statement_text
from shoal.python.frame import GROUPINGS
from shoal.python.tree import Call, Function, chain

# What takes older rows away, or has something else take over from where the batch is appended.
_TAKES_OVER = (*EXECUTES, "sql", "merge", "delete", "join", "run")
# A time or a number of its own in each row: a history of the totals may be what is wanted.
_STAMPED = pattern(r"current_timestamp|processed_at|(?i:snapshot)")


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    said: set[int] = set()
    for call in module.named(*GROUPINGS):
        for sink in module.frames.sinks_of(call):
            mode, batches = sink.calls.get("outputMode"), sink.calls.get("foreachBatch")
            if sink.mode not in ("update", "complete") or mode is None or batches is None or sink.ends or id(mode) in said:
                continue
            node = batches.argument(0, "func")
            functions = module.function_of(node, batches.spot) if node is not None else []
            added = next((place for function in functions for one in function.calls if (place := _added(module, one)) is not None), None)
            if added is not None:
                said.add(id(mode))
                message = "each batch has the whole totals up to then, and they are added to those that are stored: what was counted once is counted again with every batch (write the new total in place of the old one)"
                related = [(module.call_place(mode), "the mode of the totals")]
                yield context.finding(message, added, related, covers=[module.covers(mode)])
                continue
            written = [save for function in functions if (save := _appended(module, function)) is not None]
            if not written or len(written) < len(functions):
                continue
            said.add(id(mode))
            rows = "each group that it has changed" if sink.mode == "update" else "every group there ever was"
            message = f"each batch appends a row for {rows}: a window, or a key, has as many rows in the target as there were batches that counted for it (write by key, or wait for the end of a window in append mode)"
            related = [(module.call_place(chain(written[0]).get("mode", written[0])), "appended here")]
            sure = "low" if _STAMPED.search(module.raw) else ""
            yield context.finding(message, module.call_place(mode), related, confidence=sure, covers=[module.covers(mode)])


def _added(module: Any, call: Call) -> Place | None:
    """Where a call executes an upsert that adds the new value of a column to the old one."""
    text = statement_text(module, call) if call.name in EXECUTES else None
    found = adds(text.text) if text is not None else None
    return Place(module.path, text.span(*found)) if text is not None and found is not None else None


def _appended(module: Any, function: Function) -> Call | None:
    """The write by which a function appends its batch as it is; None where anything else is done with it that may count."""
    given = parameters(module, function)
    if any(call.name in _TAKES_OVER for call in function.calls) or (len(given) > 1 and does_with(module, function, given[1])):
        return None
    saves = [one.call for one in module.frames.batch_calls(function) if one.kind == "save"]
    return next(
        (
            call
            for call in saves
            if call.function is function
            and save_mode(module, call) == "append"
            and save_format(module, call) in APPENDS
            and save_format(module, call) != "kafka"
            and not {"dropDuplicates", "groupBy"} & set(steps(module, call))
        ),
        None,
    )
