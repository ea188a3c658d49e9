"""Threads and executors that a function starts in `open` or `setup`, without a `close` or `teardown` that stops them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.values import Known, Object, options

_WORKERS = {
    "py.Thread": "a thread",
    "py.Executor": "an executor",
    "py.Process": "a process",
    "py.Pool": "a pool",
    "py.Scheduler": "a scheduler",
}
_ENDS = {"flink": "close", "beam": "teardown"}


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for cls in module.classes:
        engine = module.contexts.classes.get(id(cls), "")
        if engine not in _ENDS:
            continue
        end = module.method(cls, _ENDS[engine])
        for attribute, bindings in cls.attributes.items():
            for binding in bindings:
                if binding.kind != "assign" or not isinstance(binding.node, cst.Call):
                    continue
                kind = next(
                    (
                        o.type
                        for o in options(module.value(binding.node, binding.spot))
                        if isinstance(o, Object) and o.type in _WORKERS and o.node is binding.node
                    ),
                    "",
                )
                if not kind or (end is not None and _stops(module, end, attribute)):
                    continue
                made_in = binding.spot.function.name if binding.spot.function else ""
                if made_in == "__init__" and kind == "py.Executor":
                    continue  # does not survive pickling anyway
                daemon = any(
                    arg.keyword is not None
                    and arg.keyword.value == "daemon"
                    and isinstance(v := module.value(arg.value, binding.spot), Known)
                    and v.value
                    for arg in binding.node.args
                )
                ending = f"there is no {_ENDS[engine]}()" if end is None else f"{_ENDS[engine]}() does not stop it"
                message = f"{_WORKERS[kind]} is started here and {ending}: it outlives the task and runs on in the worker process, once more after every restart"
                confidence = "medium" if daemon or end is not None else ""
                yield context.finding(message, module.place(binding.node.func, binding.spot), confidence=confidence)


def _stops(module: Any, end: Any, attribute: str) -> bool:
    """Whether the closing method, or one it calls, touches the attribute or sets a stop flag."""
    reached = [end, *(target for call in end.calls if (target := module.target(call)) is not None)]
    for function in reached:
        code = module.tree.node.code_for_node(function.node)
        if f".{attribute}" in code or ".set()" in code:
            return True
    return False
