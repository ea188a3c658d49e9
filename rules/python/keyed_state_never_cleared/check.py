"""A state descriptor in a class that neither sets a time-to-live nor clears anything."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.tree import Call

_STATES = ("get_state", "get_list_state", "get_map_state", "get_reducing_state", "get_aggregating_state")
_DESCRIPTORS = (
    "ValueStateDescriptor",
    "ListStateDescriptor",
    "MapStateDescriptor",
    "ReducingStateDescriptor",
    "AggregatingStateDescriptor",
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
        asked = [call for call in calls if call.name in _STATES and (call.function.name == "open" or _of_all_windows(call))]
        if not asked or module.contexts.classes.get(id(cls)) != "flink" or any(call.name in ("clear", "remove") for call in calls):
            continue
        made = next(
            (call for call in calls if call.name in _DESCRIPTORS and call.function.name in ("open", asked[0].function.name)), asked[0]
        )
        message = (
            f"{cls.name} keeps an entry for every key it ever saw: its state has no time-to-live and is never cleared. "
            "That is fine for a fixed set of keys; else enable_time_to_live(…), or clear it in a timer"
        )
        yield context.finding(message, module.call_place(made), covers=[module.covers(call) for call in asked])


def _of_all_windows(call: Call) -> bool:
    """`context.global_state().get_state(…)`: a window's function keeps something of its key beyond the window."""
    node = call.receiver_node
    return isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute) and node.func.attr.value == "global_state"
