"""`await asyncio.gather(…, return_exceptions=True)` as a statement, but for the end of tasks that were cancelled; and futures that are only waited for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python import clients
from shoal.python.tree import Call, Function, descend, last_name
from shoal.python.values import names

# Functions and calls with which something ends.
_ENDS = names("stop close aclose shutdown cancel disconnect terminate cleanup teardown __aexit__ wait_closed on_shutdown on_stop")


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for call in module.named("gather"):
        statement = module.tree.statements[call.spot.statement].node
        alone = (
            isinstance(statement, (cst.Expr, cst.Assign))
            and isinstance(statement.value, cst.Await)
            and statement.value.expression is call.node
        )
        if alone and isinstance(statement, cst.Assign):
            alone = isinstance(name := statement.targets[0].target, cst.Name) and clients.reads(module, name.value, call.spot.scope) == 0
        if (
            not alone
            or module.qualified(call) != "asyncio.gather"
            or module.constant(call.argument(99, "return_exceptions"), call.spot) is not True
        ):
            continue
        if call.function is None or _ending(module, call, call.function) or _asked_later(call, call.function):
            continue
        message = "an exception comes back as a result, and the results are dropped: what dies here is missed by nobody (leave return_exceptions out, or look at each result)"
        confidence = "" if _bare(module, call, call.function) else "low"
        yield context.finding(message, module.call_place(call), confidence=confidence, covers=[module.covers(call)])
    yield from _waited(context, module)


def _waited(context: Context, module: Any) -> Iterator[Finding]:
    """`concurrent.futures.wait(futures)` as a statement, where nothing else is asked of these futures: it raises nothing."""
    for call in module.named("wait"):
        statement = module.tree.statements[call.spot.statement].node
        alone = isinstance(statement, cst.Expr) and statement.value is call.node
        futures = call.argument(0, "fs")
        if not alone or module.qualified(call) != "concurrent.futures.wait" or call.function is None or not isinstance(futures, cst.Name):
            continue
        work = [other for other in call.function.calls if other.name == "submit"]
        if not work or _ending(module, call, call.function) or _asked(call.function, futures):
            continue
        message = "an exception of the work is in its future, and nobody asks for it: what fails here is missed by nobody (call result() of each, or wait with as_completed())"
        seen = [function for other in work if other.node.args for function in module.function_of(other.node.args[0].value, other.spot)]
        bare = bool(seen) and not any(inner.spot.guarded for function in seen for inner in function.calls)
        yield context.finding(message, module.call_place(call), confidence="" if bare else "low", covers=[module.covers(call)])


def _asked_later(call: Call, function: Function) -> bool:
    """Whether the tasks themselves are asked behind it: `events.result()`, `await events`."""
    later = [other for other in function.calls if other.spot.statement > call.spot.statement]
    if any(other.name in ("result", "exception") for other in later):
        return True
    tasks = {arg.value.value for arg in call.node.args if isinstance(arg.value, cst.Name)}
    return any(
        isinstance(node, cst.Await) and isinstance(node.expression, cst.Name) and node.expression.value in tasks
        for node in descend(function.node)
    )


def _asked(function: Function, futures: cst.Name) -> bool:
    """Whether the futures are used beside being collected and waited for."""
    passed = {id(futures)}
    for node in descend(function.node):
        if isinstance(node, cst.Attribute):
            passed.add(id(node.attr))
        elif isinstance(node, cst.Arg):
            passed.add(id(node.keyword))
        elif isinstance(node, (cst.AssignTarget, cst.AnnAssign)):
            passed.add(id(node.target))
        if isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute) and node.func.attr.value in ("append", "add", "clear"):
            passed.add(id(node.func.value))
    return any(isinstance(node, cst.Name) and node.value == futures.value and id(node) not in passed for node in descend(function.node))


def _ending(module: Any, call: Call, function: Function) -> bool:
    """Whether this waits for what is being ended: tasks that were cancelled, clients that are closed."""
    if call.spot.cleanup or any(word in function.name for word in _ENDS) or any(arm.kind == "except" for arm in call.spot.arms):
        return True
    cancels = [other for other in function.calls if other.name == "cancel" and other.spot.statement < call.spot.statement]
    if any(not _of_another(module, other, call) for other in cancels):
        return True
    return any(
        isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute) and node.func.attr.value in _ENDS
        for arg in call.node.args
        for node in descend(arg.value)
    )


def _of_another(module: Any, cancel: Call, call: Call) -> bool:
    """Whether the one task is cancelled that a name stands for, and which is not among those that are waited for: `stopped.cancel()`."""
    task = cancel.receiver_node
    if not isinstance(task, cst.Name) or clients.mentions(call.node, {task.value}):
        return False
    found = [binding for binding, _ in module.lookup(task.value, cancel.spot)]
    return bool(found) and all(
        binding.kind == "assign" and isinstance(binding.node, cst.Call) and last_name(binding.node.func) in ("create_task", "ensure_future")
        for binding in found
    )


def _bare(module: Any, call: Call, function: Function) -> bool:
    """Whether the work is coroutines of this module, none of which tries anything."""
    started = [other for other in module.calls if other.spot.statement == call.spot.statement and other is not call]
    started += [other for other in function.calls if any(_given(one, other) for one in function.calls if one.name == "create_task")]
    work = [target for other in started if (target := module.target(other)) is not None and target.is_async]
    return bool(work) and not any(inner.spot.guarded for target in work for inner in target.calls)


def _given(task: Call, work: Call) -> bool:
    return bool(task.node.args) and task.node.args[0].value is work.node
