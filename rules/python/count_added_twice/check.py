"""Increments in Redis, MongoDB, DynamoDB and SQL, for each record of a stream that is read at least once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.inserts import adds
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.python import clients
from shoal.python.dbapi import COUNTS, EXECUTES, increments, statement
from shoal.python.tree import Call
from shoal.python.values import names

_KINDS = ("operator", "udf", "foreach", "dstream", "step", "agent", "record")
_LEVELS = 4
_REDIS = COUNTS | {"incr"}
_MONGO = names("update_one update_many find_one_and_update")
_DYNAMO = pattern(r"(?i)\badd\s+[#\w.]+\s+:|([#\w.]+)\s*=\s*(?:if_not_exists\(\s*\1\s*,[^)]*\)|\1)\s*[+-]\s*:")
# What shows that a record which was counted is known again.
_KNOWN = pattern(
    r"(?i)\bnx\s*=\s*True|setnx|sismember|sadd\(|ConditionExpression|dedup|duplicate|idempot|already|seen|processed_|exactly|rowcount|returning|on conflict do nothing"
)


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    told: set[int] = set()
    for call in _calls(module):
        if id(call.function) in told or not _raises(module, call):
            continue
        told.add(id(call.function))
        around = call.function.node if call.function is not None else None
        if _KNOWN.search(cst.Module([]).code_for_node(around) if around is not None else module.raw):
            continue
        message = "a record that comes again after a failure is counted once more: nothing here knows that it was counted; keep the ids that were, or set what the stream has summed instead of adding to it"
        yield context.finding(message, module.call_place(call), covers=[module.covers(call)])


def _calls(module: Any) -> Iterator[Call]:
    """The calls that are made for records."""
    yield from (call for call, _ in module.contexts.calls(*_KINDS))
    loops = clients.all_record_loops(module)
    yield from (
        call for call in module.calls if loops and (clients.in_loops(call.spot, loops) or clients.called_in(module, call, loops, _LEVELS))
    )


def _raises(module: Any, call: Call) -> bool:
    """Whether a call adds to a number that a store keeps."""
    if call.name in _REDIS:
        return "redis" in module.raw.lower()
    if call.name in _MONGO:
        return "pymongo" in module.raw and increments(module, call)
    if call.name == "update_item":
        return _DYNAMO.search(module.string(call.argument(-1, "UpdateExpression"), call.spot)) is not None
    return call.name in EXECUTES and adds(statement(module, call)) is not None
