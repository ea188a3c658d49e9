"""The pauses of a retry strategy, added up, against the timeout of the async operator."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.flink_methods import ASYNC_WAITS
from shoal.flink_time import retry_pauses
from shoal.job import Job
from shoal.model import Finding
from shoal.python.tree import Call
from shoal.python.values import Known, Millis

_METHODS = tuple(name for name in ASYNC_WAITS if name.endswith("_with_retry"))


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for call in module.named(*_METHODS):
        if not module.qualified(call).startswith("pyflink."):
            continue
        node = call.argument(2, "timeout")
        limit = _number(module, node, call) if node is not None else None
        made = _strategy(module, call.argument(3, "async_retry_strategy"), call)
        pauses = _pauses(module, made) if made is not None else None
        if node is None or made is None or limit is None or limit <= 0 or pauses is None or pauses < limit:
            continue
        message = (
            f"not all of these retries happen: their pauses add up to {pauses / 1000:g} s, and the operator's timeout of {limit / 1000:g} s "
            "covers all attempts together"
        )
        timeout = module.place(node, call.spot)
        yield context.finding(message, module.call_place(made), [(timeout, "the timeout")], covers=[module.covers(call)])


def _strategy(module: Any, node: Any, call: Call) -> Call | None:
    """The call that makes the strategy: the argument itself, or what its name is assigned once."""
    spot = call.spot
    if isinstance(node, cst.Name):
        found = [binding for binding, _ in module.lookup(node.value, spot)]
        if len(found) != 1 or found[0].kind != "assign":
            return None
        node, spot = found[0].node, found[0].spot
    return next((other for other in module.named("fixed_delay", "exponential_backoff") if other.node is node), None)


def _pauses(module: Any, made: Call) -> float | None:
    """Milliseconds that all retries wait; None when that is not known."""
    names = (
        ("max_attempts", "backoff_time_millis")
        if made.name == "fixed_delay"
        else ("max_attempts", "initial_delay", "max_retry_delay", "multiplier")
    )
    numbers = [_number(module, made.argument(index, name), made) for index, name in enumerate(names)]
    if any(number is None or number <= 0 for number in numbers):
        return None
    return retry_pauses(*(float(number or 0) for number in numbers))


def _number(module: Any, node: Any, call: Call) -> float | None:
    value = module.value(node, call.spot) if node is not None else None
    if isinstance(value, (Known, Millis)) and isinstance(value.value, (int, float)) and not isinstance(value.value, bool):
        return float(value.value)
    return None
