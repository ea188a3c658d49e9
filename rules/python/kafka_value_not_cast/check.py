"""Functions for texts on `key` and `value` as Spark's Kafka source gives them, which are binary. Tried on Spark 4.3 (DATATYPE_MISMATCH)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.frame import SAME_COLUMNS, STREAM, Frame
from shoal.python.tree import Call, descend, last_name


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for call in module.named("select", "withColumn", "withColumns"):
        parsed = list(_parsed(module, call))
        ways = module.frames.receivers(call) if parsed else ()
        if not ways or not all(_from_kafka(module, frame) for frame in ways):
            continue
        for node in parsed:
            name = module.frames.column(node.args[0].value, call.spot)
            message = (
                f"the query fails to start: {name} is binary as it comes from Kafka, and from_json takes a text; cast it to a string first"
            )
            yield context.finding(message, module.place(node.args[0].value, call.spot), covers=[module.covers(call)])


def _parsed(module: Any, step: Call) -> Iterator[cst.Call]:
    for arg in step.node.args:
        for node in descend(arg.value):
            if (
                isinstance(node, cst.Call)
                and last_name(node.func) == "from_json"
                and node.args
                and module.frames.column(node.args[0].value, step.spot) in ("value", "key")
            ):
                yield node


def _from_kafka(module: Any, frame: Frame) -> bool:
    """Whether a frame still has the columns that the Kafka source gives."""
    for at in frame.line():
        if not at.inputs:
            source = module.frames.set_before(at).get("format") if at.op == STREAM and isinstance(at.node, cst.Call) else None
            return source is not None and module.string(source.argument(0, "source"), source.spot).lower() == "kafka"
        if at.op not in SAME_COLUMNS:
            return False
    return False
