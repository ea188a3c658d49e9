"""Columns of a schema that are named for a time since 1970, and are 32-bit floats."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.tree import dotted

_FIELDS = ("StructField", "add", "FIELD", "column")
_FLOATS = ("FloatType", "DataTypes.FLOAT")
_TIMES = re.compile(r"(?i)(?:\w+_)?(?:timestamp|epoch|ts|utc|unix_?time)(?:_?(?:ms|millis|s|sec|seconds|utc))?")
# What makes a time of a number since 1970.
_MAKES = ("from_unixtime", "timestamp_seconds", "timestamp_millis", "to_timestamp", "to_timestamp_ltz")


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for call in module.named(*_FIELDS):
        kind = call.argument(1, "dataType")
        name = module.string(call.node.args[0].value, call.spot) if call.node.args else ""
        if not name or not isinstance(kind, cst.Call) or not dotted(kind.func).endswith(_FLOATS):
            continue
        used = _is_made_a_time(module, name)
        if not used and not _TIMES.fullmatch(name):
            continue
        message = (
            f"{name} is off by up to a minute: a 32-bit float has 24 bits for its digits, and knows a time since 1970 to 128 seconds "
            "(131 in milliseconds), so different times become one; take a long, a double or a timestamp"
        )
        yield context.finding(message, module.place(kind, call.spot), confidence="" if used else "low", covers=[module.covers(call)])


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
