"""`yield` in `map`, `filter`, `reduce`, `get_key`, `extract_timestamp`, …: PyFlink takes what these return, which then is a generator."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.pyflink_classes import overridden

# Base class -> the methods that return one value, and what becomes of a generator in its place.
_ONE_VALUE: dict[str, tuple[str, ...]] = {
    "MapFunction": ("map",),
    "CoMapFunction": ("map1", "map2"),
    "FilterFunction": ("filter",),
    "ReduceFunction": ("reduce",),
    "KeySelector": ("get_key",),
    "Partitioner": ("partition",),
    "AggregateFunction": ("create_accumulator", "add", "get_result", "merge", "get_value"),
    "TimestampAssigner": ("extract_timestamp",),
    "ScalarFunction": ("eval",),
}


def check(job: Job, context: Context) -> Iterator[Finding]:
    for _, name, function in overridden(context.module, _ONE_VALUE):
        if function.yields:
            what = "every record passes, a generator is always true" if name == "filter" else "it cannot be used as the value, nor written"
            message = f"PyFlink takes what {name} returns, and a function with a yield returns a generator: {what}; return the value"
            yield context.finding(message, context.module.def_place(function))
