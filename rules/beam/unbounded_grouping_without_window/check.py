"""A grouping, or a write that groups, whose records come from an endless read without a window in between: refused when the pipeline is built.

Groupings were run on 2.66 and 2.77, the writes of files on 2.61, 2.64, 2.69 and 2.77.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python import dofns
from shoal.python.tree import Call, last_name
from shoal.python.values import Symbol

_ENDLESS = ("ReadFromPubSub", "ReadFromKafka")


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    if not module.named(*_ENDLESS) or "allow_unsafe_triggers" in module.raw:
        return
    steps, told = dofns.pipeline(module), set()
    for call in (*dofns.groupings(module), *_texts(module)):
        read = _endless(module, call, steps)
        # the first grouping of a stream is where it stops
        if read is None or id(read[0]) in told:
            continue
        told.add(id(read[0]))
        node, spot = read
        message = (
            f"the pipeline ends here with a ValueError: {dofns.shown(call)} needs windows, or a trigger, for a collection that never ends"
        )
        if call.name == "WriteToText":
            message = "the pipeline ends here with a ValueError: WriteToText writes no collection that never ends, but in newer releases with a triggering_frequency; use fileio.WriteToFiles in windows"
        related = [(module.place(node.func, spot), "never ends")]
        yield context.finding(message, module.call_place(call), related, covers=[module.covers(call)])


def _texts(module: Any) -> list[Call]:
    """Writes of text to which nothing says when to write."""
    found = [call for call in module.named("WriteToText") if module.qualified(call).startswith("apache_beam.")]
    return [call for call in found if not call.has_stars and not call.has_keyword("triggering_frequency")]


def _endless(module: Any, call: Call, steps: dict[int, dofns.Step]) -> tuple[cst.Call, Any] | None:
    """The endless read whose records reach a grouping as they are, but for steps that work on each of them."""
    for node, spot in dofns.steps_before(module, call, steps):
        name, made = last_name(node.func), module.value(node.func, spot)
        if not isinstance(made, Symbol) or made.top != "apache_beam":
            return None
        if name in _ENDLESS:
            step = Call(node, name, spot, None, "")
            limited = step.has_stars or step.has_keyword("max_num_records", "max_read_time")
            return None if limited else (node, spot)
        if name not in dofns.EACH and not _still_global(node):
            return None
    return None


def _still_global(node: cst.Call) -> bool:
    """`WindowInto(GlobalWindows())`, which changes nothing."""
    window = node.args[0].value if last_name(node.func) == "WindowInto" and len(node.args) == 1 else None
    return isinstance(window, cst.Call) and last_name(window.func) == "GlobalWindows"
