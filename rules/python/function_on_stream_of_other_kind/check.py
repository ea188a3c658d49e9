"""Keyed state and timers on a stream without keys, and functions that a keyed stream refuses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from shoal.context import Context
from shoal.flink_methods import KEYED_STATE
from shoal.job import Job
from shoal.model import Finding
from shoal.python.flow import tried
from shoal.python.tree import Call, ClassInfo
from shoal.python.values import Instance, options

_TIMERS = ("register_event_time_timer", "register_processing_time_timer")


def check(job: Job, context: Context) -> Iterator[Finding]:
    """PyFlink 1.13 to 2.3: `get_state` of a runtime context without a keyed backend raises, so do timers; `KeyedStream.process` looks at the class."""
    module = context.module
    for call in module.named("map", "flat_map", "filter", "process"):
        kinds = {obj.type for obj in module.sure_receivers(call)}
        cls = _class(module, call) if len(kinds) == 1 and kinds <= {"flink.DataStream", "flink.KeyedStream"} else None
        if cls is None:
            continue
        bases = module.bases(cls)
        if kinds == {"flink.DataStream"}:
            need = next(
                (found for at in module.parents(cls) for method in at.methods.values() for found in method.calls if _keyed(module, found)),
                None,
            )
            if need is not None:
                message = f"{cls.name} fails when it calls {need.name}(): state and timers belong to keys, and this stream is not keyed (key_by() before {call.name}())"
                yield context.finding(
                    message, module.call_place(call), [(module.call_place(need), "needs a key")], covers=[module.covers(call)]
                )
        elif call.name == "process" and bases and all(base.startswith("pyflink.") and base.endswith(".ProcessFunction") for base in bases):
            message = (
                f"the program stops here with a TypeError: a keyed stream takes a KeyedProcessFunction, and {cls.name} is a ProcessFunction"
            )
            yield context.finding(message, module.call_place(call), covers=[module.covers(call)])


def _class(module: Any, call: Call) -> ClassInfo | None:
    """The class of this module whose object an operator is surely given."""
    node = call.argument(0, "func")
    found = options(module.value(node, call.spot)) if node is not None else ()
    return found[0].cls if len(found) == 1 and isinstance(found[0], Instance) else None


def _keyed(module: Any, call: Call) -> bool:
    """Whether a call works on keyed streams only, and is made whatever happens."""
    if tried(call.spot) or call.spot.conditional:
        return False
    return call.name in _TIMERS or (call.name in KEYED_STATE and module.receiver_type(call) == "flink.RuntimeContext")
