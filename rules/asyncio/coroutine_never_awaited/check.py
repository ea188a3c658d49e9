"""A call of an `async def`, or of an asynchronous client's method, as a statement of its own, and an `async def` given to what calls plain functions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.values import names

_ASYNC_METHODS = {
    "aiokafka.Producer": names("start stop send send_and_wait flush begin_transaction commit_transaction abort_transaction send_batch"),
    "aiokafka.Consumer": names("start stop commit getone getmany seek_to_beginning seek_to_end committed end_offsets"),
    "faust.App": frozenset({"send"}),
    "faust.Topic": frozenset({"send"}),
    "py.AsyncQueue": frozenset({"put", "get", "join"}),
}
# What calls a function and drops what it gives, and where it takes it.
_CALLERS = {
    "signal.signal": (1, "handler"),
    "atexit.register": (0, "func"),
    "threading.Thread": (1, "target"),
    "threading.Timer": (1, "function"),
    "multiprocessing.Process": (1, "target"),
}
# The same of asyncio's event loops and tasks, by the method's name; loops of others take coroutine functions (kafka-python's own, Tornado's).
_METHODS = {
    "add_signal_handler": (1, "callback"),
    "add_done_callback": (0, "fn"),
    "call_soon": (0, "callback"),
    "call_soon_threadsafe": (0, "callback"),
    "call_later": (1, "callback"),
    "call_at": (1, "callback"),
}
_OF_ASYNCIO = ("py.Loop", "py.Task", "py.OwnedTask", "py.Future", "py.AsyncFuture")


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for call in module.calls:
        if call.use != "dropped":
            continue
        what = ""
        target = module.target(call) if not call.name[:1].isupper() else None
        if target is not None and target.is_async and not target.yields and not target.decorators:
            what = f"{target.qualname}()"
        elif call.name in _ASYNC_METHODS.get(module.receiver_type(call), ()):
            what = f"{call.name}() of {module.receiver_type(call).replace('.', ' ').replace('py AsyncQueue', 'asyncio.Queue')}"
        elif module.qualified(call) in ("asyncio.sleep", "asyncio.wait_for", "asyncio.wait", "asyncio.to_thread"):
            what = module.qualified(call)
        if what:
            message = f"{what} is a coroutine and is never awaited: it does not run at all, and Python says so only when it is collected"
            yield context.finding(message, module.call_place(call), covers=[module.covers(call)])
    yield from _given(context, module)


def _given(context: Context, module: Any) -> Iterator[Finding]:
    """Coroutine functions that are given to what does not await them: a signal, a thread, the end of the process, a callback of the loop."""
    for call in module.named(*_METHODS, "signal", "register", "Thread", "Timer", "Process"):
        at = _METHODS.get(call.name) if module.receiver_type(call) in _OF_ASYNCIO else None
        at = at or _CALLERS.get(module.qualified(call))
        given = call.argument(*at) if at is not None else None
        functions = module.function_of(given, call.spot) if given is not None else ()
        if not functions or not all(one.is_async and not one.yields and not one.decorators for one in functions):
            continue
        name = functions[0].qualname
        if call.name == "add_signal_handler":
            message = f"{name} is a coroutine function, which add_signal_handler() refuses with a TypeError: give it a plain function that makes a task, or sets an event"
        else:
            message = f"{name} is a coroutine function, and {call.name}() only calls it: that makes a coroutine which nobody awaits, and nothing of it runs"
        yield context.finding(message, module.call_place(call), covers=[module.covers(call)])
