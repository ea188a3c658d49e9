"""A call of an `async def`, or of an asynchronous client's method, as a statement of its own."""

from __future__ import annotations

from collections.abc import Iterator

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
