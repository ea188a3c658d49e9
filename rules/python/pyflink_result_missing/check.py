"""`filter`, `reduce`, `get_key`, `extract_timestamp`, a trigger's `on_element`, … without a `return`."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.flow import is_bare, written_out
from shoal.python.pyflink_classes import overridden
from shoal.python.tree import Function

_TRIGGER = "it asks that whether the window fires, and the job fails"
# Base class -> the methods whose result is asked something, and what comes of None. What `map` gives may be None.
_ASKED: dict[str, tuple[tuple[str, ...], str]] = {
    "Trigger": (("on_element", "on_event_time", "on_processing_time"), _TRIGGER),
    "FilterFunction": (("filter",), "no record passes"),
    "ReduceFunction": (("reduce",), "what was reduced so far is lost with the second record of each key"),
    "KeySelector": (("get_key",), "all records have one key, or none that its type can write"),
    "TimestampAssigner": (("extract_timestamp",), "the job fails with the first record"),
    "AggregateFunction": (("create_accumulator", "add", "get_result", "get_value"), "the accumulator, or what is made of it, is lost"),
}


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for kind, name, function in overridden(module, {base: methods for base, (methods, _) in _ASKED.items()}):
        if not function.yields and _gives_nothing(function):
            message = f"{name} returns nothing, where PyFlink takes its result: {_ASKED[kind][1]}; return it"
            meant = [one for one in module.tree.statements if one.spot.function is function and _is_value(one.node)]
            at = module.place(meant[-1].node, meant[-1].spot) if meant else module.def_place(function)
            yield context.finding(message, at, covers=[module.def_place(function)])


def _gives_nothing(function: Function) -> bool:
    """Whether no way through a function ends with a value."""
    return written_out(function) and all(value is None for value, _ in function.returns)


def _is_value(node: cst.CSTNode) -> bool:
    """Whether a statement is a value and no more, as one that lacks its `return` is."""
    return isinstance(node, cst.Expr) and not isinstance(node.value, cst.Call | cst.Await) and not is_bare(node.value)
