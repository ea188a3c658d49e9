"""A loop over `collect()` of a table or `execute_and_collect()` of a stream that writes what it gets."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.texts import text_of
from shoal.python.tree import Call, Statement, descend
from shoal.python.values import Object, names
from shoal.templates import tables

# Methods of clients, cursors and files that write; those of the second row are other things to other objects.
_WRITES = names(
    "hset hmset setex zadd sadd lpush rpush xadd publish execute executemany send produce send_and_wait post insert_one insert_many "
    "update_one replace_one bulk_write put_item put_record put_records writerow writerows write_point write_points"
)
_ALSO = {"set": "py.Redis", "put": "py.HttpSession", "write": ""}
_FEW = names("limit fetch")


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Sure of what is read where all that the file reads never ends."""
    sources = tables.sources(job)
    if not sources or tables.is_batch(job) or not all(tables.never_ends(job, block) for block in sources):
        return
    module = context.module
    for statement in module.tree.statements:
        collected = _collected(module, statement)
        if collected is None or any(isinstance(node, (cst.Break, cst.Return)) for node in descend(statement.node.body)):
            continue
        inside = {id(node) for node in descend(statement.node.body) if isinstance(node, cst.Call)}
        write = next((call for call in module.calls if id(call.node) in inside and _writes_on(module, call)), None)
        if write is not None:
            message = "the results are written by the program that submits the job, not by the job: nothing is written once that program ends or restarts, and no checkpoint covers what it was given"
            place = module.place(collected.node.func.attr, collected.spot)
            yield context.finding(message, place, [(module.call_place(write), "written here"), (sources[0], "never ends")])


def _collected(module: Any, statement: Statement) -> Object | None:
    """What a loop runs over, where that is the results of a job, all of them."""
    node = statement.node
    if not isinstance(node, cst.For):
        return None
    over = node.iter
    if isinstance(over, cst.Call) and isinstance(over.func, cst.Name) and over.func.value == "enumerate" and over.args:
        over = over.args[0].value
    found = [obj for obj in module.objects(over, statement.spot) if obj.type == "flink.CloseableIterator"]
    return found[0] if len(found) == 1 and not any(_few(module, made) for made in found[0].line()) else None


def _few(module: Any, made: Object) -> bool:
    """Whether a step takes some rows only, or is a statement that is no query."""
    if made.call in ("execute_sql", "sql_query") and isinstance(made.node, cst.Call):
        node = Call(made.node, made.call, made.spot, None, "").argument(0, "stmt" if made.call == "execute_sql" else "query")
        text = text_of(module, node, made.spot) if node is not None else None
        return text is None or re.match(r"\s*(?:SELECT|WITH)\b(?!.*\bLIMIT\b)", text.text, re.IGNORECASE | re.DOTALL) is None
    return made.call in _FEW


def _writes_on(module: Any, call: Call) -> bool:
    """Whether a call writes, or is one of a function of the module that does."""
    function = module.target(call)
    return _writes(module, call) or (function is not None and any(_writes(module, inner) for inner in function.calls))


def _writes(module: Any, call: Call) -> bool:
    if call.receiver_node is None:
        return False
    if call.name in _ALSO:
        kind = _ALSO[call.name]
        return module.receiver_type(call) == kind if kind else not module.qualified(call).startswith("sys.")
    return call.name in _WRITES and not module.receiver_type(call).startswith("flink.")
