"""`create_task`, `ensure_future`, `run_in_executor` and `Executor.submit` whose result is dropped, or kept in a name nobody reads."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python import clients
from shoal.python.tree import Call

_TASKS = frozenset({"asyncio.create_task", "asyncio.ensure_future"})


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for call in module.named("create_task", "ensure_future", "submit", "run_in_executor", "run_coroutine_threadsafe"):
        kind = _kind(module, call)
        if not kind:
            continue
        unread = call.function is not None and clients.unread(module, call)
        if call.use != "dropped" and not unread:
            continue
        kept = "kept only in a name that is never read" if unread else "dropped"
        if kind == "task":
            message = f"the task is {kept}: the event loop holds tasks weakly, so it may be collected before it is done, and its exception is never raised anywhere"
            confidence = "medium" if unread else ""
        else:
            message = f"the future is {kept}: an exception of the work is never seen"
            confidence = "low" if kind == "thread" and _guarded(module, call) else "medium"
        yield context.finding(message, module.call_place(call), confidence=confidence, covers=[module.covers(call)])


def _kind(module: Any, call: Call) -> str:
    if module.qualified(call) in _TASKS:
        return "task"
    types = {obj.type for obj in module.receivers(call)}
    if "py.Loop" in types and call.name == "create_task":
        return "task"
    if ("py.Loop" in types and call.name == "run_in_executor") or ("py.Executor" in types and call.name == "submit"):
        return "thread"
    return ""


def _guarded(module: Any, call: Call) -> bool:
    """Whether the submitted function handles its exceptions itself."""
    position = 1 if call.name == "run_in_executor" else 0
    node = call.argument(position, "fn")
    functions = module.function_of(node, call.spot) if node is not None else []
    return any(any(spot.guarded for spot in (inner.spot for inner in function.calls)) for function in functions) or not functions
