"""`createDataFrame(rdd)` or `rdd.toDF()` without a schema in a function of `foreachRDD` that never asks whether the batch has records.

Tried on Spark 3.5.7: `createDataFrame` takes the first record to infer the types, raises "RDD is empty", and `awaitTermination()` raises that.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.tree import Call
from shoal.python.values import names

# What tells whether there are records, or fails before.
_ASKS = names("isEmpty take count first collect top countApprox takeOrdered")


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for function, where in module.contexts.running("rdd"):
        way = [*where.through, function]
        if any(call.name in _ASKS for one in way for call in one.calls):
            continue
        for call in function.calls:
            if call.name not in ("createDataFrame", "toDF") or call.spot.guarded or call.spot.conditional or not _inferred(module, call):
                continue
            sites = [site for one in way[1:] for site in module.call_sites(one) if site.function in way]
            if any(site.spot.conditional or site.spot.guarded for site in sites):
                continue
            message = f"the first batch without records ends the stream: {call.name}() infers the types from the first record, and raises where there is none; ask rdd.isEmpty() first, or give it a schema"
            yield context.finding(message, module.call_place(call), covers=[module.covers(call)])


def _inferred(module: Any, call: Call) -> bool:
    """Whether a frame is surely made of an RDD of the stream, with no types but those that its records have."""
    if call.has_stars:
        return False
    of = call.receiver_node if call.name == "toDF" else call.argument(0, "data")
    if of is None:
        return False
    made = module.objects(of, call.spot)
    schema = call.argument(0 if call.name == "toDF" else 1, "schema")
    named = isinstance(schema, (cst.List, cst.Tuple)) and all(isinstance(one.value, cst.SimpleString) for one in schema.elements)
    return bool(made) and all(one.type == "spark.RDD" for one in made) and (schema is None or named)
