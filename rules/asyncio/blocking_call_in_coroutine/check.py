"""What blocks the event loop: sleeps, synchronous clients, loops over a synchronous consumer, waits."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python import blocking
from shoal.python.tree import Call

_SYNC_HTTP = ("requests.", "urllib.request.urlopen")
_SYNC_DATABASES = frozenset(
    {"psycopg2.connect", "psycopg.connect", "pymysql.connect", "MySQLdb.connect", "mysql.connector.connect", "pyodbc.connect"}
)


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for function in module.functions:
        if not function.is_async or _on_own_thread(module, function):
            continue
        kinds = module.contexts.kinds(function)
        for call in function.calls:
            what = _blocks(module, call)
            if not what:
                continue
            loop = "the async operator's" if "async" in kinds else "the"
            message = f"{what} blocks {loop} event loop: no other request, callback or heartbeat of this loop runs until it returns"
            yield context.finding(
                message, module.call_place(call), confidence="low" if _short(module, call) else "", covers=[module.covers(call)]
            )
    yield from _iterated(context)


def _on_own_thread(module, function) -> bool:  # type: ignore[no-untyped-def]
    """Whether a coroutine belongs to a thread with a loop of its own, which may well wait."""
    return function.cls is not None and any(base.endswith("Thread") for base in module.bases(function.cls))


def _iterated(context: Context) -> Iterator[Finding]:
    """`for record in consumer` over kafka-python's consumer, which waits on the thread itself."""
    module = context.module
    for statement in module.tree.statements:
        node = statement.node
        function = statement.spot.function
        if not isinstance(node, cst.For) or node.asynchronous is not None or function is None or not function.is_async:
            continue
        if any(obj.type == "kafka.Consumer" for obj in module.objects(node.iter, statement.spot)):
            message = "the loop over kafka-python's consumer blocks the event loop between records: nothing else of this loop runs until one comes (use aiokafka, or a thread)"
            yield context.finding(message, module.place(node.iter, statement.spot))


def _blocks(module, call: Call) -> str:  # type: ignore[no-untyped-def]
    if call.use == "awaited":
        return ""
    found = blocking.sleeping(module, call)
    if found is not None:
        return "" if found.seconds == 0 else "time.sleep"
    name = module.qualified(call)
    if name.startswith(_SYNC_HTTP) and call.name in ("get", "post", "put", "delete", "patch", "head", "request", "urlopen"):
        return name
    if name in _SYNC_DATABASES:
        return name
    if module.receiver_type(call) == "py.HttpSession" and call.name in ("get", "post", "put", "delete", "patch", "head", "request"):
        return f"requests' {call.name}"
    held = blocking.process(module, call)
    if held is not None:
        return held.what
    wait = blocking.waiting(module, call)
    if wait is not None and ((wait.what.startswith("result") and _unfinished(call)) or not wait.what.startswith(("acquire", "result"))):
        return wait.what
    kind = module.receiver_type(call)
    if kind == "confluent.Consumer" and call.name in ("poll", "consume") and _long(module, call, "timeout", 0.1):
        return f"the consumer's {call.name}"
    if kind == "kafka.Consumer" and call.name == "poll" and _long(module, call, "timeout_ms", 100):
        return "the consumer's poll"
    return ""


def _unfinished(call: Call) -> bool:
    """Whether nothing in the coroutine asks or waits whether an executor's future is done before its result is taken."""
    asks = ("done", "wrap_future", "gather", "wait", "wait_for", "as_completed", "add_done_callback", "run_in_executor")
    return call.function is not None and not any(other.name in asks for other in call.function.calls)


def _short(module, call: Call) -> bool:  # type: ignore[no-untyped-def]
    """Whether a consumer waits for less than half a second, which now and then the program may do without."""
    kind = module.receiver_type(call)
    return (kind == "confluent.Consumer" and not _long(module, call, "timeout", 0.5)) or (
        kind == "kafka.Consumer" and not _long(module, call, "timeout_ms", 500)
    )


def _long(module, call: Call, keyword: str, least: float) -> bool:  # type: ignore[no-untyped-def]
    timeout = module.constant(call.argument(0 if call.name == "poll" else 1, keyword), call.spot)
    return isinstance(timeout, (int, float)) and timeout >= least
