"""A handler for `KeyboardInterrupt`, `CancelledError` or everything inside `while True`, after which the loop goes on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.clients import left
from shoal.python.flow import caught, endless
from shoal.python.signals import handled
from shoal.python.tree import descend, dotted, last_name
from shoal.python.values import Known, names

# Calls that are over at once: an interrupt does not arrive in them but by a very rare chance.
_QUICK = names(
    "loads dumps json decode encode append extend add update get pop items keys values strip split lower upper replace format print int float str bool "
    "len dict list set tuple isinstance value key error topic partition offset timestamp headers strptime fromisoformat debug info warning"
)
_SIGNALS = {"KeyboardInterrupt": "Ctrl-C", "SystemExit": "exit", "CancelledError": "cancellation", "BaseException": "interrupt"}


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    taken = any(name == "SIGINT" and functions and not any(map(_interrupts, functions)) for _, name, functions in handled(module))
    for statement in module.tree.statements:
        handler = statement.node
        if not isinstance(handler, cst.ExceptHandler):
            continue
        loops = [
            arm for arm in statement.spot.arms if arm.kind == "loop" and (endless(arm.test) or _always(arm.test, statement.spot.scope))
        ]
        what = _swallows(handler)
        if not loops or not what or (what == "Ctrl-C" and taken):
            continue
        function = statement.spot.function
        if what == "cancellation" and (function is None or not function.is_async):
            continue
        if what != "cancellation" and (
            _in_thread(module, function, daemon=what != "Ctrl-C") or _own_thread(module, function, loops[-1].test, what)
        ):
            continue
        after = module.flow(function).after(handler)
        if id(loops[-1].test) not in after or _left_by(module, handler, loops[-1].test, function):
            continue
        shown = "every exception, Ctrl-C and cancellation too, " if handler.type is None else f"{what} "
        elsewhere = _waits_elsewhere(module, handler, loops[-1].test, function)
        cost = (
            "one that arrives in this try is lost, and only one that arrives elsewhere in the loop ends it"
            if elsewhere
            else "it only ends by a signal that is not caught, so nothing is flushed, committed or closed"
        )
        message = f"catches {shown}and goes on with the loop: {cost}"
        sure = "" if not elsewhere else "low" if _quick(module, handler) else "medium"
        yield context.finding(message, module.place(handler.type or handler, statement.spot), confidence=sure)


def _interrupts(function: Any) -> bool:
    """Whether a handler of a signal raises what Python's own would."""
    return any(
        isinstance(part, cst.Raise) and last_name(getattr(part.exc, "func", part.exc)) == "KeyboardInterrupt"
        for part in descend(function.body)
    )


def _always(loop: Any, scope: Any) -> bool:
    """`while running:` where nothing ever sets `running` to anything but True."""
    if not isinstance(loop, cst.While) or not isinstance(loop.test, cst.Name):
        return False
    name = loop.test.value
    while scope is not None and name not in (() if name in scope.uses_globals and scope.outer else scope.bindings):
        scope = scope.outer
    bound = scope.bindings[name] if scope is not None else ()
    return bool(bound) and all(one.kind == "assign" and isinstance(one.node, cst.Name) and one.node.value == "True" for one in bound)


def _waits_elsewhere(module: Any, handler: Any, loop: Any, function: Any) -> bool:
    """Whether the loop also waits where nothing catches: an `await` in a coroutine, a sleep or a poll elsewhere."""
    if function is not None and function.is_async:
        waits = [spot for node, spot in module.tree.awaits if spot.function is function]
    else:
        waits = [call.spot for call in module.named("sleep", "poll", "wait", "consume") if call.function is function]
    return any(any(arm.test is loop for arm in spot.arms) and not _around(spot, handler) for spot in waits)


def _quick(module: Any, handler: Any) -> bool:
    """Whether the try does nothing that takes its time."""
    return all(call.name in _QUICK for call in module.calls if _around(call.spot, handler))


def _around(spot: Any, handler: Any) -> bool:
    return any(handler in getattr(statement, "handlers", ()) for statement in spot.guarded)


def _in_thread(module: Any, function: Any, *, daemon: bool) -> bool:
    """Whether a thread runs the function: Ctrl-C reaches the main thread alone, and nobody waits for a daemon's end.

    A thread that is no daemon is waited for at the exit: one that cannot end keeps the process.
    """
    if function is None:
        return False
    for call in module.named("Thread"):
        node = call.argument(1, "target")
        if node is None or module.qualified(call) != "threading.Thread" or function not in module.function_of(node, call.spot):
            continue
        if not daemon or ".daemon = True" in module.text.text or "setDaemon(True)" in module.text.text:
            return True
        given = call.argument(5, "daemon")
        if given is not None and not (isinstance(value := module.value(given, call.spot), Known) and not value.value):
            return True
    return False


def _own_thread(module: Any, function: Any, loop: Any, what: str) -> bool:
    """Whether a class that is a thread runs the function, in which nothing interrupts: it only holds up the exit, where it is no daemon and the loop has no other end."""
    if function is None or function.name != "run" or function.cls is None or "threading.Thread" not in module.bases(function.cls):
        return False
    return what == "Ctrl-C" or left(loop) or "daemon" in module.text.text


def _swallows(handler: Any) -> str:
    if handler.type is None:
        return "everything"
    return next((_SIGNALS[name] for name in caught(handler) if name in _SIGNALS), "")


def _left_by(module: Any, handler: Any, loop: Any, function: Any) -> bool:
    """Whether the handler's path may leave the loop: a break, return or raise in it, or a name it sets that the loop looks at."""
    start = module.flow(function).after(handler)
    for statement in module.tree.statements:
        node = statement.node
        if id(node) not in start:
            continue
        inside = any(arm.kind == "except" and handler in getattr(arm.test, "handlers", ()) for arm in statement.spot.arms)
        if inside and isinstance(node, (cst.Break, cst.Return, cst.Raise, cst.Assign)):
            return True
        if inside and isinstance(node, cst.Expr) and isinstance(node.value, cst.Call):
            last = dotted(node.value.func).rsplit(".", 1)[-1]
            if last in ("exit", "_exit", "quit", "abort", "stop", "set", "shutdown", "close", "kill"):
                return True
    return False
