"""`pipeline.run()` inside `with beam.Pipeline() as pipeline`, or behind it: the end of the block runs it as well (run on 2.77)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.tree import Call


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    ends = [call.spot for call in module.named("exit", "_exit", "quit")]
    for call in module.named("run"):
        made = [one.node for one in module.objects(call.receiver_node, call.spot) if one.type == "beam.Pipeline"]
        entered = next((node for node in call.spot.withs if any(node is one for one in made)), None)
        inside = entered is not None
        if entered is None:
            entered = next((node for node in made if _entered_before(module, node, call)), None)
        # an exception that ends the block keeps it from running
        if entered is None or any(node is entered for end in ends for node in end.withs):
            continue
        again = "the end of its with block runs it again" if inside else "the end of its with block has run it"
        message = f"the pipeline runs twice: {again}, and every record is read and written once more; leave out this run()"
        related = [(module.place(entered, call.spot), "runs it at its end")]
        yield context.finding(message, module.call_place(call), related, covers=[module.covers(call)])


def _entered_before(module: Any, made: Any, call: Call) -> bool:
    """Whether a pipeline is made by a `with` whose block has ended where the call stands, on every path to it."""
    for statement in module.tree.statements:
        spot = statement.spot
        if isinstance(statement.node, cst.With) and any(item.item is made for item in statement.node.items):
            return (
                spot.function is call.function
                and spot.statement < call.spot.statement
                and not spot.guarded
                and spot.loops == call.spot.loops
                and call.spot.arms[: len(spot.arms)] == spot.arms
            )
    return False
