"""A batch that goes into MERGE as it was read: nothing in the module keeps one row of each key."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from shoal.context import Context
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.python.tree import Call

# Whatever may leave one row of a key, in the stream or in the batch, also by a helper's name.
_ONE = pattern(
    r"(?i)drop_?duplicates|row_number|\brank\b|dense_rank|\bqualify\b|max_by|min_by|max_struct|dedup|de_dup|distinct|(?<!['\"])latest|newest|group_?by|"
    r"group\s+by|\.agg\(|uniq|\bfirst\(|\blast\("
)
# A record's own place or time in the condition: two rows of one batch do not share it.
_RECORD = pattern(r"(?i)\b(?:offset|timestamp|partition)\b")
_MATCHED = pattern(r"(?i)when\s*matched")


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    if _ONE.search(module.raw) or not _MATCHED.search(module.raw):
        return
    seen = set()
    for function, _ in module.contexts.running("foreach-batch"):
        for call in (made.call for made in module.frames.batch_calls(function) if made.kind == "merge"):
            if id(call.node) in seen or not _changes(module, call):
                continue
            seen.add(id(call.node))
            message = "when two changes of one row come in the same batch the MERGE fails, since it may change a row once only, and each restart reads that batch again; keep the newest of each key first (row_number over its order)"
            yield context.finding(message, module.call_place(call), covers=[module.covers(call)])


def _changes(module: Any, call: Call) -> bool:
    """Whether matched rows are changed, and two rows of the batch can match the same one."""
    if call.name != "sql":
        return not _RECORD.search(module.string(call.argument(1, "condition"), call.spot) or "")
    statement = module.string(call.argument(0, "sqlQuery"), call.spot)
    return statement is None or (_MATCHED.search(statement) is not None and not _RECORD.search(statement))
