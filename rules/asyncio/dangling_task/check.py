"""`create_task`, `ensure_future`, `run_in_executor`, `Executor.submit`, `Executor.map` and `run_coroutine_threadsafe` whose result is dropped, or kept in a name nobody reads."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python import clients, endings
from shoal.python.tree import ASSIGNMENTS, Call, Function, decorating, descend, dotted, evaluated, targets

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
        if kind == "task" and (ending := _dies_unheard(module, call)) is not None:
            message = "an error ends the consumer in this task, and nobody hears of it: the task is kept, but never awaited nor asked for its exception while the program runs (add_done_callback)"
            yield context.finding(
                message, module.call_place(call), [(ending.at, ending.why)], confidence="low", covers=[module.covers(call)]
            )
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
    lines = call.function.node.body.body if call.function is not None and call.function.is_async else []
    made = module.tree.statements[call.spot.statement].node
    beside = any(made in line.body for line in lines[:-1] if isinstance(line, cst.SimpleStatementLine))
    return beside and any(isinstance(node, cst.Await) or getattr(node, "asynchronous", None) is not None for node in descend(lines[-1]))


def _dies_unheard(module: Any, call: Call) -> Any:
    """What ends a consumer in a task that is kept and cancelled at the end, but of which nobody hears when it has ended."""
    node, work = module.tree.statements[call.spot.statement].node, call.argument(0, "coro")
    kept = targets(node) if isinstance(node, ASSIGNMENTS) and _is_or_has(node.value, call.node) else []
    name = dotted(kept[0]) if len(kept) == 1 else ""
    if not name or name.count(".") > 2 or not isinstance(work, cst.Call):
        return None
    function = next(iter(module.function_of(work.func, call.spot)), None)
    if function is None:
        ending = endings.elsewhere(module, work.func, call.spot)
    else:
        ending = endings.of(module, function) if function.is_async else None
    return ending if ending is not None and not _heard(module, call, name) else None


def _is_or_has(value: Any, task: Any) -> bool:
    """Whether a value is a task, or a list in which it is."""
    return value is task or (isinstance(value, (cst.List, cst.Tuple)) and any(one.value is task for one in value.elements))


def _heard(module: Any, made: Call, name: str) -> bool:
    """Whether anything but its end is made of a task: it is awaited, handed to what waits, asked, given back, or looked at in a test."""
    made_by = module.tree.statements[made.spot.statement].node
    field = "." in name
    used = [one for one in module.tree.statements if one.node is not made_by and (field or _within(one.spot.function, made.function))]
    cancels = {id(call.node.func.value) for call in module.named("cancel") if isinstance(call.node.func, cst.Attribute)}
    through = {id(loop.iter): loop for loop in _loops(module, name)}
    each = {one for loop in through.values() for one in clients.target_names(loop.target)}
    stopped = {call.function: call.spot.statement for call in module.named("cancel") if dotted(call.receiver_node) in {name, *each}}
    at_the_end = [node for node, spot in module.tree.awaits if spot.statement > stopped.get(spot.function, spot.statement)]
    awaited = {id(part) for node in at_the_end for part in descend(node.expression)}
    ended = {key for key, loop in through.items() if _only_cancels(loop)}
    for statement in used:
        parts = list(evaluated(statement.node))
        but = {id(part.attr) for part in parts if isinstance(part, cst.Attribute)}  # `task` in `self.task`
        but |= {id(part) for part in targets(statement.node)} if isinstance(statement.node, ASSIGNMENTS) else set()
        if isinstance(statement.node, cst.Assign) and isinstance(statement.node.value, cst.Name) and statement.node.value.value == name:
            alias = dotted(targets(statement.node)[0])  # `app.state.task = task`
            if "." in alias and not _heard(module, made, alias):
                continue
        for part in parts:
            mine = isinstance(part, (cst.Name, cst.Attribute)) and id(part) not in but and dotted(part) == name
            if mine and id(part) not in cancels | awaited | ended and not _tested(statement.node, part):
                return True
    return False


def _loops(module: Any, name: str) -> list[Any]:
    """The loops over what is kept under a name."""
    return [one.node for one in module.tree.statements if isinstance(one.node, cst.For) and dotted(one.node.iter) == name]


def _only_cancels(loop: Any) -> bool:
    """Whether a loop over tasks does no more than cancel each."""
    return {dotted(part.func).rpartition(".")[2] for part in descend(loop.body) if isinstance(part, cst.Call)} == {"cancel"}


def _within(function: Function | None, outer: Function | None) -> bool:
    """Whether a function is another one, or stands in it."""
    while function is not None and function is not outer:
        function = function.outer
    return function is outer


def _tested(statement: Any, part: Any) -> bool:
    """`if self.task:`, `if self.task is not None:`: whether there is a task at all."""
    test = statement.test if isinstance(statement, cst.If) else None
    return test is part or (isinstance(test, cst.Comparison) and test.left is part)


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
    return not functions or any(_handles(module, function) or _wrapped(module, function) for function in functions)


def _wrapped(module: Any, function: Function) -> bool:
    """Whether a decorator of the module runs a function in a `try`."""
    around = [outer for one in function.decorators for outer in module.function_of(decorating(one), function.spot)]
    return any(
        inner.spot.guarded and inner.function is not None and _within(inner.function, outer) for outer in around for inner in module.calls
    )


def _handles(module: Any, function: Function) -> bool:
    """Whether a function tries anything, and calls no other one of the module outside of it that handles nothing."""
    if not any(inner.spot.guarded for inner in function.calls):
        return False
    bare = [target for inner in function.calls if not inner.spot.guarded and (target := module.target(inner)) is not None]
    return all(any(inner.spot.guarded for inner in target.calls) for target in bare)
