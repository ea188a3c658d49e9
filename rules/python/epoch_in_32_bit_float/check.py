"""Columns of a schema that are named for a time since 1970, and are 32-bit floats."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding, Place
from shoal.python.texts import text_of
from shoal.python.tree import dotted

_FIELDS = ("StructField", "add", "FIELD", "column")
_FLOATS = ("FloatType", "DataTypes.FLOAT")
_TIMES = pattern(r"(?i)(?:\w+_)?(?:timestamp|epoch|ts|utc|unix_?time)(?:_?(?:ms|millis|s|sec|seconds|utc))?")
# What makes a time of a number since 1970.
_MAKES = ("from_unixtime", "timestamp_seconds", "timestamp_millis", "to_timestamp", "to_timestamp_ltz")
# Calls that take a schema as a text, and where it stands among their arguments.
_SCHEMAS = {"from_json": 1, "from_csv": 1, "schema": 0, "createDataFrame": 1}
_COLUMN = pattern(r"(?i)(?:^|[,<(])\s*`?(\w+)`?(?:\s*:\s*|\s+)(FLOAT|REAL)\b")


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for call in module.named(*_FIELDS):
        kind = call.argument(1, "dataType")
        name = module.string(call.node.args[0].value, call.spot) if call.node.args else ""
        if not name or not isinstance(kind, cst.Call) or not dotted(kind.func).endswith(_FLOATS):
            continue
        if (sure := _sure(module, name)) is not None:
            yield context.finding(_message(name), module.place(kind, call.spot), confidence=sure, covers=[module.covers(call)])
    seen = set()
    for call in module.named(*_SCHEMAS):
        node = call.argument(_SCHEMAS[call.name], "schema")
        text = text_of(module, node, call.spot) if node is not None else None
        if text is None:
            continue
        for column in _COLUMN.finditer(text.text):
            span = text.span(*column.span(2))
            if span not in seen and (sure := _sure(module, column[1])) is not None:
                seen.add(span)
                yield context.finding(_message(column[1]), Place(module.path, span), confidence=sure)


def _message(name: str) -> str:
    return (
        f"{name} is off by up to a minute: a 32-bit float has 24 bits for its digits, and knows a time since 1970 to 128 seconds "
        "(131 in milliseconds), so different times become one; take a long, a double or a timestamp"
    )


def _sure(module: Any, name: str) -> str | None:
    """The confidence of what is said of a column of this name; None for one that may be no time."""
    return "" if _is_made_a_time(module, name) else "low" if _TIMES.fullmatch(name) else None


def _is_made_a_time(module: Any, name: str) -> bool:
    """Whether something makes a time of the column as it stands."""
    quoted = re.compile(rf"[\"'](?:\w+\.)?{re.escape(name)}[\"']")
    for call in module.named("cast", *_MAKES):
        given = [module.tree.node.code_for_node(arg.value) for arg in call.node.args]
        if call.name == "cast" and not any(re.search(r"TimestampType|[\"']timestamp", text) for text in given):
            continue
        receiver = (
            module.tree.node.code_for_node(call.receiver_node)
            if call.name == "cast" and call.receiver_node is not None
            else given[0]
            if given
            else ""
        )
        if quoted.search(receiver):
            return True
    return False
