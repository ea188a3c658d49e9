"""`producer = KafkaProducer(…)` at the top of a program, and `producer.send(…)` in what `foreach` or a UDF calls for each row."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python import pickled
from shoal.python.tree import Call

_RUNS = ("awaitTermination", "awaitAnyTermination", "start", "foreach", "foreachPartition")


def check(job: Job, context: Context) -> Iterator[Finding]:
    """What a function of the program itself names goes with it; a function of another module is imported on the worker, and makes a client of its own there."""
    module = context.module
    calls = {id(call.node): call for call in module.calls}
    seen = set()
    for call, where in module.contexts.calls("foreach", "udf", "dstream"):
        name = call.receiver_node
        if where.engine != "spark" or where.origin or not isinstance(name, cst.Name):
            continue
        bindings = [binding for binding, _ in module.lookup(name.value, call.spot)]
        made = calls.get(id(bindings[0].node)) if len(bindings) == 1 and bindings[0].kind == "assign" else None
        if made is None or not (_is_program(module) if made.function is None else _around(call, made.function)):
            continue
        if (call.function, name.value) in seen or not pickled.refused(module, made, "spark"):
            continue
        seen.add((call.function, name.value))
        message = (
            f"the program ends with a PicklingError where it hands this function over: it goes to the workers with what it names, and what {made.name} "
            "gives cannot be pickled; make it on the worker (foreachPartition, or open() of an object for foreach)"
        )
        related = [(module.call_place(made), "made in the driver")]
        yield context.finding(message, module.call_place(call), related, covers=[module.covers(call)])


def _around(call: Call, function: Any) -> bool:
    """Whether a function is one around that which makes a call."""
    outer = call.function.outer if call.function is not None else None
    while outer is not None and outer is not function:
        outer = outer.outer
    return outer is function


def _is_program(module: Any) -> bool:
    """Whether a module is what is run, and not one that others import: then its functions go to the workers as they are, with their globals."""
    if module.notebook or "__main__" in module.raw:
        return True
    return any(call.function is None and call.receiver_node is not None for call in module.named(*_RUNS))
