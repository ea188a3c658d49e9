"""`yield` in `map`, `filter`, `reduce`, `get_key`, `extract_timestamp`, …: PyFlink takes what these return, which then is a generator."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding

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
    module = context.module
    for cls in module.classes:
        for base in module.bases(cls):
            if not base.startswith("pyflink."):
                continue
            for name in _ONE_VALUE.get(base.rsplit(".", 1)[-1], ()):
                function = cls.methods.get(name)
                if function is None or not function.yields or function.decorators:
                    continue
                what = (
                    "every record passes, a generator is always true" if name == "filter" else "it cannot be used as the value, nor written"
                )
                message = f"PyFlink takes what {name} returns, and a function with a yield returns a generator: {what}; return the value"
                yield context.finding(message, module.def_place(function))
