"""What PySpark's DataStreamWriter does not have: it knows the methods of 2.4 to 4.3, and Databricks' `table`. And what `spark.streams` and a batch's writer do not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.tree import Call, last_name

_INSTEAD = {
    "mode": "outputMode() is what it has",
    "save": "start() is what it has",
    "saveAsTable": "toTable() is what it has",
    "insertInto": "toTable() is what it has",
    "awaitTermination": "the query that start() gives has it",
    "stop": "the query that start() gives has it",
    **dict.fromkeys(("parquet", "json", "csv", "orc", "text", "jdbc"), "format() and start() are what it has"),
    **dict.fromkeys(("bucketBy", "sortBy"), "only batches are written so"),
}
# What only the streaming one has.
_OF_BATCH = {
    "toTable": "saveAsTable() is what it has",
    "outputMode": "mode() is what it has",
    "start": "save() is what it has",
    **dict.fromkeys(("trigger", "queryName", "foreachBatch", "foreach", "awaitTermination"), "only queries have one"),
}
# It has `active`, `get`, `awaitAnyTermination`, `resetTerminated`, and what is told of queries since 3.4.
_OF_ALL = {
    "awaitTermination": "awaitAnyTermination() is what it has",
    **dict.fromkeys(("stop", "stopAll"), "each query of spark.streams.active has stop()"),
}


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for call in module.named("trigger", *_INSTEAD):
        if (
            not (receivers := module.sure_receivers(call))
            or any(obj.type != "spark.Writer" for obj in receivers)
            or call.spot.expects_error()
        ):
            continue
        if call.name != "trigger":
            message = f"the program stops here with an AttributeError: a streaming writer has no {call.name}(); {_INSTEAD[call.name]}"
            yield context.finding(message, module.call_place(call), covers=[module.covers(call)])
        elif call.node.args and call.node.args[0].keyword is None and not call.node.args[0].star:
            message = 'the program stops here with a TypeError: trigger() takes keywords alone, as in trigger(processingTime="10 seconds")'
            yield context.finding(message, module.call_place(call), covers=[module.covers(call)])
    for call in module.named(*_OF_BATCH):
        receivers = module.sure_receivers(call)
        if receivers and all(obj.type == "spark.BatchWriter" for obj in receivers) and not call.spot.expects_error():
            message = f"this ends with an AttributeError: the writer of a batch has no {call.name}(); {_OF_BATCH[call.name]}"
            yield context.finding(message, module.call_place(call), covers=[module.covers(call)])
    for call in module.named(*_OF_ALL):
        if _of_all(module, call) and not call.spot.expects_error():
            message = f"the program stops here with an AttributeError: spark.streams has no {call.name}(); {_OF_ALL[call.name]}"
            yield context.finding(message, module.call_place(call), covers=[module.covers(call)])


def _of_all(module: Any, call: Call) -> bool:
    """Whether a method is that of a session's `streams`."""
    at = call.receiver_node
    if not isinstance(at, cst.Attribute) or at.attr.value != "streams":
        return False
    return "spark" in last_name(at.value).lower() or any(obj.type.startswith("spark.") for obj in module.objects(at.value, call.spot))
