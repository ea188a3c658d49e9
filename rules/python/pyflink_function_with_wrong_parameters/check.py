"""What PyFlink calls a user's methods with; Java's signatures have a collector more, which Python code often copies."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.tree import Function

_ELEMENT = {"process_element": "value, ctx", "on_timer": "timestamp, ctx"}
_TWO = {"process_element1": "value, ctx", "process_element2": "value, ctx", "on_timer": "timestamp, ctx"}
_BROADCAST = {"process_element": "value, ctx", "process_broadcast_element": "value, ctx", "on_timer": "timestamp, ctx"}
# pyflink.datastream of releases 1.16 to 2.3: base class -> method -> the arguments it is called with.
_CALLED_WITH: dict[str, dict[str, str]] = {
    "ProcessFunction": {"process_element": "value, ctx"},
    "KeyedProcessFunction": _ELEMENT,
    "CoProcessFunction": _TWO,
    "KeyedCoProcessFunction": _TWO,
    "BroadcastProcessFunction": _BROADCAST,
    "KeyedBroadcastProcessFunction": _BROADCAST,
    "ProcessWindowFunction": {"process": "key, context, elements", "clear": "context"},
    "ProcessAllWindowFunction": {"process": "context, elements", "clear": "context"},
    "WindowFunction": {"apply": "key, window, inputs"},
    "AllWindowFunction": {"apply": "window, inputs"},
    "MapFunction": {"map": "value"},
    "FlatMapFunction": {"flat_map": "value"},
    "FilterFunction": {"filter": "value"},
    "ReduceFunction": {"reduce": "value1, value2"},
    "CoMapFunction": {"map1": "value", "map2": "value"},
    "CoFlatMapFunction": {"flat_map1": "value", "flat_map2": "value"},
    "AggregateFunction": {"create_accumulator": "", "add": "value, accumulator", "get_result": "accumulator", "merge": "one, other"},
    "KeySelector": {"get_key": "value"},
    "AsyncFunction": {"async_invoke": "value", "timeout": "value"},
    "TimestampAssigner": {"extract_timestamp": "value, record_timestamp"},
}
_COLLECTS = frozenset({"out", "collector", "output", "coll", "result_future"})


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for cls in module.classes:
        for base in module.bases(cls):
            if not base.startswith(("pyflink.datastream.", "pyflink.common.")):
                continue
            called = _CALLED_WITH.get(base.rsplit(".", 1)[-1], {})
            for name, function in cls.methods.items():
                wanted = called.get(name)
                if wanted is None or function.decorators or not function.self_name:
                    continue
                given = [part for part in wanted.split(", ") if part]
                why = _refused(function, given)
                if why:
                    message = f"the first call fails: {name} is called with ({wanted}), and {why}"
                    if any(param.name in _COLLECTS for param in function.params):
                        message += (
                            "; a list of results is returned in Python, there is no future"
                            if name == "async_invoke"
                            else "; results are yielded in Python, there is no collector"
                        )
                    yield context.finding(message, module.def_place(function))


def _refused(function: Function, given: list[str]) -> str:
    """Why the function cannot be called with so many positional arguments; empty when it can."""
    plain = [param for param in function.params if param.kind == "plain"][1:]
    needed = sum(1 for param in plain if param.default is None)
    if any(_required_keyword(param) for param in function.params):
        return "has a keyword-only parameter without a default"
    if needed > len(given):
        return f"needs {needed} arguments"
    if len(plain) < len(given) and not any(param.kind == "star" for param in function.params):
        return f"takes {len(plain) or 'none'}"
    return ""


def _required_keyword(param: Any) -> bool:
    return param.kind == "keyword" and param.default is None
