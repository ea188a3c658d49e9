"""A micro-batch that takes the place of all that earlier ones wrote."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.python.batch_writes import does_with, parameters, save_mode
from shoal.python.frame import GROUPED, GROUPINGS, Frame, Sink
from shoal.python.texts import text_of
from shoal.python.tree import Call, Function, chain

_OVERWRITES = ("overwrite", "createorreplace", "replace")
# Of tables that hold the newest batch on purpose, and of those that something else empties.
_ON_PURPOSE = pattern(
    r"latest|last(?!ic)|newest|current|recent|snapshot|staging|stage|tmp|temp(?!erat|lat)|live(?!r)|_now|realtime|real_time|preview|sample|dashboard",
    re.I,
)
_OVERWRITE = pattern(
    r"(?is)\s*insert\s+overwrite\s+(?:table\s+)?(?P<table>[^\s(]+)\s+(?!partition\b)(?P<rest>(?:\([^)]*\)\s*)?(?:select|table)\b.*)"
)
_MORE = pattern(r"(?i)\b(?:join|union|current_date|current_timestamp)\b")
# Steps that bring in what was written before.
_BRINGS = frozenset({"join", "union", "unionByName", "unionAll", "crossJoin"})
# What moves rows out of a table that was overwritten.
_MOVES = ("merge", "execute", "executeUpdate", "sql", "callproc")


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    if "partitionOverwriteMode" in module.text.text or "replaceWhere" in module.text.text:
        return
    for sink in module.frames.sinks():
        handed = sink.calls.get("foreachBatch")
        if handed is None or sink.mode not in ("append", "update") or sink.ends or not sink.frames:
            continue
        if not all(frame.streams and frame.followed for frame in sink.frames):
            continue
        for function in module.function_of(handed.argument(0, "func"), handed.spot):
            call = _overwriting(module, function)
            if call is not None:
                steps = chain(call)
                # a session that is made elsewhere may say that only the partitions of the batch are replaced
                sure = "low" if "partitionBy" in steps and not module.named("getOrCreate") else ""
                related = [(module.call_place(handed), "for each batch")]
                at = steps.get("mode", call)
                yield context.finding(_message(sink), module.call_place(at), related, confidence=sure, covers=[module.covers(call)])
    for function, _ in module.contexts.running("foreach-batch"):
        call = _overwriting_in_sql(module, function)
        if call is not None:
            message = "INSERT OVERWRITE puts each batch in the place of all that the table holds, or of the partitions that it touches where the session overwrites them alone: what earlier batches wrote is gone (INSERT INTO, or MERGE by key)"
            yield context.finding(message, module.call_place(call), confidence="low", covers=[module.covers(call)])


def _message(sink: Sink) -> str:
    if sink.mode == "update" and any(frame.steps(*GROUPINGS, GROUPED, "agg") for frame in sink.frames):
        return "each batch takes the place of the one before: in update mode it holds only the groups that changed, and all others are gone from the target (write by key, or use complete mode)"
    return "each batch takes the place of the one before: the target only ever holds the records of the last one (append, or write by key)"


def _overwriting(module: Any, function: Function) -> Call | None:
    """The write of the batch alone that leaves nothing of what was there, to a target that does not change with the batch."""
    given = parameters(module, function)
    if (
        len(given) < 2
        or does_with(module, function, given[1])
        or any(call.name in _MOVES for call in function.calls)
        or _ON_PURPOSE.search(function.name)
    ):
        return None
    for call, kind, frames in module.frames.batch_calls(function):
        if (
            kind != "save"
            or save_mode(module, call) not in _OVERWRITES
            or call.name == "insertInto"
            or call.spot.conditional
            or call.spot.in_loop()
        ):
            continue
        if any(_brings(frame) for frame in frames) or _ON_PURPOSE.search(cst.Module([]).code_for_node(call.node)):
            continue
        if not any(one.name in ("read", "table", "load", "now", "today", "strftime", "uuid4") for one in function.calls):
            return call  # type: ignore[no-any-return]
    return None


def _overwriting_in_sql(module: Any, function: Function) -> Call | None:
    """The `INSERT OVERWRITE` of the batch alone, by a view of it, that names no partition."""
    given = parameters(module, function)
    if len(given) < 2 or does_with(module, function, given[1]) or _ON_PURPOSE.search(function.name):
        return None
    for call, kind, frames in module.frames.batch_calls(function):
        if kind != "merge" or call.name != "sql" or call.spot.in_loop() or any(_brings(frame) for frame in frames):
            continue
        text = text_of(module, call.argument(0, "sqlQuery"), call.spot)
        found = _OVERWRITE.match(text.text) if text is not None else None
        if found is not None and not _ON_PURPOSE.search(found["table"]) and not _MORE.search(found["rest"]):
            return call  # type: ignore[no-any-return]
    return None


def _brings(frame: Frame) -> bool:
    return any(at.op in _BRINGS for at in frame.all())
