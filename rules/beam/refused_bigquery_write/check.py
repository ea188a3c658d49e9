"""`WriteToBigQuery` with a `triggering_frequency` that its method has no use for, or without the one that it needs (run on 2.77)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python import dofns
from shoal.python.tree import Call
from shoal.python.values import Known
from shoal.templates import beam


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    pipelines = [block for block in job.select("beam", ("pipeline",)) if beam.streams(job, block)]
    for call in dofns.bigquery_writes(module):
        if call.has_stars:
            continue
        method, frequency = dofns.member(module, call, 13, "method"), call.argument(17, "triggering_frequency")
        if method == "FILE_LOADS" and frequency is None and pipelines:
            message = "the pipeline ends here with a ValueError: in a streaming pipeline, FILE_LOADS needs a triggering_frequency"
            related = [(pipelines[0], "streams")]
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
        else:
            continue
        yield context.finding(message, module.call_place(call), related, covers=[module.covers(call)])


def _set(module: Any, node: Any, call: Call) -> bool:
    value = module.value(node, call.spot)
    return isinstance(value, Known) and value.value is not None
