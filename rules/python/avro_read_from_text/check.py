"""`from_avro(col("value"))` behind `CAST(value AS STRING)`: it takes bytes, and a text is none (tried on Spark 4.1)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.frame import SAME_COLUMNS, Frame
from shoal.python.tree import descend, last_name

_READS = ("from_avro", "from_protobuf")


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for call in module.named("select", "withColumn", "withColumns"):
        given = [
            node for arg in call.node.args for node in descend(arg.value) if isinstance(node, cst.Call) and last_name(node.func) in _READS
        ]
        for node in given:
            name = module.frames.column(node.args[0].value, call.spot) if node.args else ""
            casts = [_cast(module, frame, name) for frame in module.frames.receivers(call)] if name else []
            cast = casts[0] if casts and all(casts) else None
            if cast is None:
                continue
            message = f"the query fails to start: {last_name(node.func)} takes bytes, and {name} was made a text before; leave out the cast"
            related = [(module.place(cast[0], cast[1]), "made a text")]
            yield context.finding(message, module.place(node.args[0].value, call.spot), related, covers=[module.covers(call)])


def _cast(module: Any, frame: Frame, name: str) -> tuple[Any, Any] | None:
    """Where a column is made a text last, with nothing done to it since."""
    as_text = re.compile(rf"(?i)\s*cast\s*\(\s*`?{re.escape(name)}`?\s+as\s+string\s*\)(?:\s+(?:as\s+)?`?{re.escape(name)}`?)?\s*")
    for at in frame.line():
        if at.op in SAME_COLUMNS:
            continue
        args = at.node.args if isinstance(at.node, cst.Call) else ()
        if at.op == "selectExpr":
            return next(((arg.value, at.spot) for arg in args if as_text.fullmatch(module.string(arg.value, at.spot))), None)
        if at.op == "withColumn" and len(args) == 2 and module.string(args[0].value, at.spot) == name:
            made = args[1].value
            if not isinstance(made, cst.Call) or last_name(made.func) != "cast" or not made.args:
                return None
            return (made, at.spot) if module.string(made.args[0].value, at.spot) == "string" else None
        return None
    return None
