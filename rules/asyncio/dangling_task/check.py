"""`create_task`, `ensure_future`, `run_in_executor`, `Executor.submit`, `Executor.map` and `run_coroutine_threadsafe` whose result is dropped, or kept in a name nobody reads."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python import clients
from shoal.python.tree import Call, Function, descend

_TASKS = frozenset({"asyncio.create_task", "asyncio.ensure_future"})
_FUTURES = frozenset({"asyncio.gather", "asyncio.shield"})


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for call in module.named(
        "create_task", "ensure_future", "submit", "map", "run_in_executor", "run_coroutine_threadsafe", "gather", "shield"
    ):
        kind = _kind(module, call)
        if not kind:
            continue
        if call.use == "returned" and kind == "task" and call.function is not None and not call.function.is_async:
            for site in module.call_sites(call.function):
                if site.use == "dropped":
                    message = f"the task that {call.function.name}() gives is dropped: the event loop holds tasks weakly, so it may be collected before it is done, and its exception is never raised anywhere"
                    made = [(module.call_place(call), "made here")]
                    yield context.finding(message, module.call_place(site), made, confidence="medium", covers=[module.covers(site)])
        unread = call.function is not None and clients.unread(module, call)
        if call.use != "dropped" and not unread:
            continue
        kept = "kept only in a name that is never read" if unread else "dropped"
        if kind == "task":
            message = f"the task is {kept}: the event loop holds tasks weakly, so it may be collected before it is done, and its exception is never raised anywhere"
            confidence = ("low" if _held(module, call) else "medium") if unread else ""
        else:
            what = f"what {call.name}() gives is" if call.name in ("map", "gather", "shield") else "the future is"
            message = f"{what} {kept}: an exception of the work is never seen"
            confidence = "low" if kind != "future" and _guarded(module, call, kind) else "medium"
        yield context.finding(message, module.call_place(call), confidence=confidence, covers=[module.covers(call)])


def _held(module: Any, call: Call) -> bool:
    """Whether the coroutine that keeps a task in a name of its own ends with waiting for something: till then it holds the task."""
    lines = call.function.node.body.body if call.function is not None and call.function.is_async else ()
    made = module.tree.statements[call.spot.statement].node
    beside = any(made in line.body for line in lines[:-1] if isinstance(line, cst.SimpleStatementLine))
    return beside and any(isinstance(node, cst.Await) or getattr(node, "asynchronous", None) is not None for node in descend(lines[-1]))


def _kind(module: Any, call: Call) -> str:
    name = module.qualified(call)
    if name in _TASKS:
        return "task"
    if name in _FUTURES:
        return "future"
    if name == "asyncio.run_coroutine_threadsafe":
        return "coroutine"
    if call.name == "run_in_executor":  # nothing but an event loop has it, whatever it is called
        return "thread" if call.receiver_node is not None and len(call.node.args) > 1 else ""
    types = {obj.type for obj in module.receivers(call)}
    if "py.Loop" in types and call.name == "create_task":
        return "task"
    return "thread" if "py.Executor" in types and call.name in ("submit", "map") else ""


def _guarded(module: Any, call: Call, kind: str) -> bool:
    """Whether the work handles its exceptions itself, or cannot be seen."""
    node = call.argument(1 if call.name == "run_in_executor" else 0, "func" if call.name == "run_in_executor" else "fn")
    if kind == "coroutine":
        node = node.func if isinstance(node, cst.Call) else None
    functions = module.function_of(node, call.spot) if node is not None else []
    return not functions or any(_handles(module, function) for function in functions)


def _handles(module: Any, function: Function) -> bool:
    """Whether a function tries anything, and calls no other one of the module outside of it that handles nothing."""
    if not any(inner.spot.guarded for inner in function.calls):
        return False
    bare = [target for inner in function.calls if not inner.spot.guarded and (target := module.target(inner)) is not None]
    return all(any(inner.spot.guarded for inner in target.calls) for target in bare)
