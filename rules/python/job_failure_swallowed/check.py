"""A handler for all errors around the call that runs the job, which neither raises nor exits."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.clients import handlers, inside
from shoal.python.flow import catches_all, reraises
from shoal.python.tree import Call
from shoal.python.values import names

_RUNS = {
    "execute": ("flink.Environment", "flink.StatementSet", "flink.TablePipeline"),
    "wait": ("flink.TableResult",),
    "execute_insert": ("flink.Table",),
    "execute_sql": ("flink.TableEnvironment",),
    "awaitTermination": ("spark.StreamingQuery", "spark.QueryManager"),
    "awaitAnyTermination": ("spark.QueryManager",),
}
_TELLS = names("fail abort kill notify alert capture_exception _exit exit send put")


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    statements = {id(statement.node): statement for statement in module.tree.statements}
    seen = set()
    for call in module.named(*_RUNS):
        if module.receiver_type(call) not in _RUNS[call.name] or module.contexts.of(call.function):
            continue
        if call.name == "execute_sql" and not _inserts(module, call):
            continue
        for handler in handlers(call):
            if not catches_all(handler):
                continue
            if id(handler) in seen or reraises(handler) or statements[id(handler)].spot.in_loop() or _follows(module, call, handler):
                break
            seen.add(id(handler))
            message = "the job's failure is caught here and the script ends with exit code 0: whoever started it sees success, and nothing restarts it"
            yield context.finding(
                message,
                module.place(handler.type or handler, statements[id(handler)].spot),
                [(module.call_place(call), "the job runs here")],
            )
            break


def _inserts(module: Any, call: Call) -> bool:
    from shoal.python.texts import text_of

    node = call.argument(0, "stmt")
    text = text_of(module, node, call.spot) if node is not None else None
    return text is not None and text.text.lstrip()[:6].upper() == "INSERT"


def _follows(module: Any, call: Call, handler: Any) -> bool:
    """Whether the handler answers with a value (a code, False), as code of a library does, or calls something that may end the process."""
    returns = call.function.returns if call.function else ()
    if any(node is not None and inside(spot, handler) for node, spot in returns):
        return True
    return any((other.name in _TELLS or module.target(other) is not None) and inside(other.spot, handler) for other in module.calls)
