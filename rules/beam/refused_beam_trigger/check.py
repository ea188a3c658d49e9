"""`WindowInto(…, trigger=…)` that Beam refuses: each form was run on 2.66 and 2.77, with fixed, session and global windows; before WriteToFiles on 2.61, 2.64, 2.69 and 2.77."""

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

_ONCE = ("AfterCount", "AfterProcessingTime")
_OF_OTHERS = ("AfterAny", "AfterAll")


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    grouped: dict[int, Call] | None = None
    for call in module.named("WindowInto"):
        given = call.argument(1, "trigger")
        if given is None or call.has_stars or not module.qualified(call).startswith("apache_beam."):
            continue
        trigger, spot = dofns.made_by_beam(module, given, call.spot)
        if trigger is None:
            continue
        name = last_name(trigger.func)
        if call.argument(2, "accumulation_mode") is None and name != "DefaultTrigger":
            message = "the pipeline ends here with a ValueError: a trigger needs an accumulation_mode"
            yield context.finding(message, module.call_place(call), covers=[module.covers(call)])
            continue
        lateness = call.argument(4, "allowed_lateness")
        late = lateness is not None and _length(module, lateness, call.spot)
        why = _ends(module, trigger, spot, late)
        if not why or "allow_unsafe_triggers" in module.raw:
            continue
        grouped = _grouped(module) if grouped is None else grouped
        if group := grouped.get(id(call.node)):
            message = f"the pipeline ends with a ValueError at {dofns.shown(group)}: {why}"
            related = [(module.call_place(group), "groups what is in these windows")]
            yield context.finding(message, module.place(given, call.spot), related, covers=[module.covers(call)])


def _grouped(module: Any) -> dict[int, Call]:
    """The first grouping behind each WindowInto, with only steps for each record, of Beam's own, between them."""
    found: dict[int, Call] = {}
    steps = dofns.pipeline(module)
    for group in dofns.groupings(module):
        for node, spot in dofns.steps_before(module, group, steps):
            name, made = last_name(node.func), module.value(node.func, spot)
            if name == "WindowInto":
                found.setdefault(id(node), group)
            if name not in dofns.EACH or not isinstance(made, Symbol) or made.top != "apache_beam":
                break
    return found


def _length(module: Any, node: Any, spot: Any) -> bool:
    """Whether a lateness is surely one: a number of seconds, or a `Duration` of some."""
    if isinstance(node, cst.Call) and last_name(node.func) == "Duration":
        return any(_length(module, arg.value, spot) for arg in node.args)
    value = module.constant(node, spot)
    return isinstance(value, (int, float)) and value > 0


def _ends(module: Any, node: Any, spot: Any, late: bool) -> str:
    """Why a window drops records behind the firing of this trigger; empty where it does not, or that cannot be known."""
    trigger, spot = dofns.made_by_beam(module, node, spot)
    name = last_name(trigger.func) if trigger is not None else ""
    if trigger is None or any(arg.star for arg in trigger.args):
        return ""
    parts = [_ends(module, arg.value, spot, late) for arg in trigger.args if name in _OF_OTHERS and arg.keyword is None]
    if name in _ONCE or (parts and (any(parts) if name == "AfterAny" else all(parts))):
        return f"{name} fires once, and the window drops what comes later; Repeatedly({name}(…)) goes on"
    if name == "AfterWatermark" and late and Call(trigger, name, spot, None, "").argument(1, "late") is None:
        return "AfterWatermark without `late` fires for no late record, so allowed_lateness keeps what is then dropped; give it late=AfterCount(1)"
    return ""
