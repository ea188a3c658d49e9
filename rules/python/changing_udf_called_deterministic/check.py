"""`@udf` over a function that makes an id, draws a number or looks at the clock, without `deterministic=False` or `asNondeterministic()`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from shoal.context import Context
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.python.tree import Function

_CHANGES = pattern(
    r"uuid\.uuid[14]|(?:numpy\.)?random\.(?!seed|Random|default_rng)\w+|secrets\.\w+|os\.urandom|time\.time(?:_ns)?|datetime\.(?:datetime\.(?:now|utcnow|today)|date\.today)"
)
_MADE = ("udf", "pandas_udf")
_STREAMS = pattern(r"\b(?:read|write)Stream\b")
_HOW = {"flink": "declare it with deterministic=False", "spark": "call asNondeterministic() of the UDF"}


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for function, where in module.contexts.running("udf"):
        if where.through or where.engine not in _HOW or not where.how.endswith(_MADE):
            continue
        if where.engine == "spark" and (not _STREAMS.search(module.raw) or "asNondeterministic" in module.raw):
            continue
        changing = next((call for call in function.calls if _CHANGES.fullmatch(module.qualified(call))), None)
        if changing is None or (where.engine == "flink" and _declared(module, function)):
            continue
        name = "this UDF" if function.is_lambda else function.name
        message = (
            f"{where.engine.capitalize()} takes {name} for one that gives the same for the same arguments, and {changing.name}() does not: where its column is used twice "
            f"it may be called twice, and one row has two values; {_HOW[where.engine]}, or make the value of what the record is"
        )
        yield context.finding(message, module.call_place(changing))


def _declared(module: Any, function: Function) -> bool:
    """Whether a decorator of the function, or a call that makes a UDF of it, says whether it is deterministic."""
    if any("deterministic" in module.tree.node.code_for_node(one) for one in function.decorators):
        return True
    made = (
        call
        for call in module.named("udf")
        if (given := call.argument(0, "f")) is not None and function in module.function_of(given, call.spot)
    )
    return any(call.has_stars or call.has_keyword("deterministic") for call in made)
