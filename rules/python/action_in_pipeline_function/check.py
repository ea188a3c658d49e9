"""What a function of a declarative pipeline does with frames beside describing its own.

Tried on Spark 4.3: `collect()` and `columns` in a function end the run with ATTEMPT_ANALYSIS_IN_PIPELINE_QUERY_FUNCTION, in a helper that it calls as well;
outside of the functions they are let through.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.python.frame import ACTIONS, GROUPINGS, SAVES
from shoal.python.pipelines import defines
from shoal.python.tree import Call, beginning

# Of a frame's own methods, those that ask for its schema: Spark's pipelines refuse these, too.
_ASKS = frozenset({"printSchema"})
_STEPS = (cst.Call, cst.Attribute, cst.Subscript)
_READ = pattern(r"\(?\s*spark\s*\.\s*(?:read|table|sql|range)\b")


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for function in module.functions:
        place = defines(module, function)
        if not place:
            continue
        for call in function.calls:
            if not _acts(module, call, place):
                continue
            if place == "dlt":
                message = (
                    f"{call.name}() is run whenever the pipeline is planned, before its tables are updated, and not when this one is: the function is to describe"
                    " a query only (join with the other table, or do this outside of the pipeline)"
                )
                yield context.finding(message, module.call_place(call), severity="warning", covers=[module.covers(call)])
            else:
                message = f"the pipeline fails to start (ATTEMPT_ANALYSIS_IN_PIPELINE_QUERY_FUNCTION): {call.name}() runs a query where only one is to be described"
                yield context.finding(message, module.call_place(call), covers=[module.covers(call)])


def _acts(module: Any, call: Call, place: str) -> bool:
    """Whether a call runs a query, or starts one."""
    if call.name in SAVES or call.name in ("start", "toTable"):
        made = module.sure_receivers(call)
        return bool(made) and all(obj.type in ("spark.BatchWriter", "spark.Writer") for obj in made)
    if call.name not in ACTIONS and (place == "dlt" or call.name not in _ASKS):
        return False
    ways = module.frames.receivers(call)
    return bool(ways) and all((frame.followed or _of_session(module, call)) and frame.op not in GROUPINGS for frame in ways)


def _of_session(module: Any, call: Call) -> bool:
    """Whether a frame is one of the session that a notebook finds under the name `spark`."""
    node, spot, seen = call.receiver_node, call.spot, 0
    while node is not None and seen < 5:
        if _READ.match(cst.Module([]).code_for_node(node)):
            return not module.lookup("spark", call.spot)
        bindings = module.lookup(beginning(node, _STEPS), spot)
        if not bindings or any(binding.kind != "assign" for binding, _ in bindings):
            return False
        node, spot, seen = bindings[0][0].node, bindings[0][0].spot, seen + 1
    return False
