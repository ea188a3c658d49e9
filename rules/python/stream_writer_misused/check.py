"""What PySpark's DataStreamWriter does not have: it knows the methods of 2.4 to 4.3, and Databricks' `table`."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding

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
