"""`WriteToBigQuery` with what its method has no use for, or without the `triggering_frequency` that it needs (run on 2.77)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python import dofns
from shoal.python.facts import text_value
from shoal.python.tree import Call
from shoal.python.values import Known
from shoal.templates import beam


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    streaming = beam.streaming(job)
    for call in dofns.bigquery_writes(module):
        if call.has_stars:
            continue
        method, frequency = dofns.member(module, call, 13, "method"), call.argument(17, "triggering_frequency")
        if method == "FILE_LOADS" and frequency is None and streaming:
            message = "the pipeline ends here with a ValueError: in a streaming pipeline, FILE_LOADS needs a triggering_frequency"
            related = [(streaming, "streams")]
        elif (
            method == "STREAMING_INSERTS"
            and frequency is not None
            and _set(module, frequency, call)
            and not call.has_keyword("with_auto_sharding")
        ):
            message = (
                "the pipeline ends here with a ValueError: STREAMING_INSERTS takes a triggering_frequency only with with_auto_sharding=True"
            )
            related = []
        elif (method == "STREAMING_INSERTS" or (method == "DEFAULT" and streaming)) and (what := _of_loads(module, call)):
            message = f"the pipeline ends here with a ValueError: {what} is not supported for streaming inserts, only for load jobs"
            related = [(streaming, "streams")] if streaming and method == "DEFAULT" else []
        else:
            continue
        yield context.finding(message, module.call_place(call), related, covers=[module.covers(call)])


def _of_loads(module: Any, call: Call) -> str:
    """What a write asks for that load jobs alone can do; where no method is named, a streaming pipeline inserts."""
    disposition = dofns.member(module, call, 5, "write_disposition")
    if disposition in ("WRITE_TRUNCATE", "WRITE_EMPTY"):
        return disposition
    schema = call.argument(3, "schema")
    detects = schema is not None and text_value(module, module.value(schema, call.spot)) == "SCHEMA_AUTODETECT"
    return "SCHEMA_AUTODETECT" if detects else ""


def _set(module: Any, node: Any, call: Call) -> bool:
    value = module.value(node, call.spot)
    return isinstance(value, Known) and value.value is not None
