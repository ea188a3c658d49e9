"""A state descriptor in a class that neither sets a time-to-live nor clears anything."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.flink_methods import KEYED_STATE
from shoal.job import Job
from shoal.model import Finding
from shoal.python.tree import Call

_DESCRIPTORS = (
    "ValueStateDescriptor",
    "ListStateDescriptor",
    "MapStateDescriptor",
    "ReducingStateDescriptor",
    "AggregatingStateDescriptor",
)
_PASSING = re.compile(
    r"(?i)\b(event|order|transaction|txn|trx|message|msg|session|request|trace|trip|payment|invoice|correlation)_?id\b|\buuid\b"
)
_UNBOUNDED = ("from_source", "add_source", "execute_sql", "from_table", "to_data_stream", "to_append_stream", "to_changelog_stream")


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    if (
        module.named("enable_time_to_live")
        or "BATCH" in module.tree.attribute_names
        or (module.named("from_collection") and not module.named(*_UNBOUNDED))
    ):
        return  # a demonstration on a handful of rows, or a batch job
    for cls in module.classes:
        calls = [call for call in module.calls if call.function is not None and call.function.cls is cls]
        asked = [call for call in calls if call.name in KEYED_STATE and (call.function.name == "open" or _of_all_windows(call))]
        if not asked or module.contexts.classes.get(id(cls)) != "flink" or any(call.name in ("clear", "remove") for call in calls):
            continue
        made = next(
            (call for call in calls if call.name in _DESCRIPTORS and call.function.name in ("open", asked[0].function.name)), asked[0]
        )
        message = (
            f"{cls.name} keeps an entry for every key it ever saw: its state has no time-to-live and is never cleared. "
            "That is fine for a fixed set of keys; else enable_time_to_live(…), or clear it in a timer"
        )
        sure = "medium" if _key_goes(module, cls.name) else ""
        yield context.finding(message, module.call_place(made), confidence=sure, covers=[module.covers(call) for call in asked])


def _key_goes(module: Any, name: str) -> bool:
    """Whether a stream that this class processes is keyed by something that comes once or a few times, and never again."""
    for call in module.named("process", "map", "flat_map"):
        made = call.argument(0)
        if not isinstance(made, cst.Call) or not isinstance(made.func, cst.Name) or made.func.value != name:
            continue
        for obj in module.receivers(call):
            keyed = next((step for step in obj.line() if isinstance(step.node, cst.Call) and _is_key_by(step.node)), None)
            if keyed is not None and keyed.node.args:
                span = module.inner_span(keyed.node.args[0].value, keyed.spot)
                if _PASSING.search(module.text.text[span.start : span.end]):
                    return True
    return False


def _is_key_by(node: cst.Call) -> bool:
    return isinstance(node.func, cst.Attribute) and node.func.attr.value == "key_by"


def _of_all_windows(call: Call) -> bool:
    """`context.global_state().get_state(…)`: a window's function keeps something of its key beyond the window."""
    node = call.receiver_node
    return isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute) and node.func.attr.value == "global_state"
