"""`finally`, `except KeyboardInterrupt` and handlers of SIGINT that end a Kafka client, where nothing handles SIGTERM."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.python import clients, handlers, signals
from shoal.python.flow import caught, endless, is_bare
from shoal.python.tree import Call, contains, is_main, last_name

# What handles signals, or is a server, worker or test that does.
_HANDLED = pattern(
    r"(?i)\bsignals?\b|sigterm|sigint|graceful|aiorun|^[ \t]*(?:from|import)[ \t]+(?:\w+[.,][\w., ]*)?"
    r"(?:fastapi|flask|uvicorn|gunicorn|starlette|django|celery|faust|quixstreams|bytewax|streamlit|airflow|dagster|prefect|pytest|unittest|pyspark|pyflink)\b",
    re.MULTILINE,
)
_ENVIRONMENT = pattern(r"\b(?:environ|getenv|getenv_\w+|env\.(?:str|int|list)|\w*[sS]ettings|load_dotenv)\b")
# What names SIGTERM, or handles signals in another way.
_TOLD = pattern(r"(?i)SIGTERM|signal\.(?:set_wakeup_fd|sigwait|pthread)|\b15\b")
_ENDS = ("close", "flush", "commit", "stop")


# What waits for a signal whose handler has nothing else to do.
_WAITS = pattern(r"\bsignal\.(?:pause|sigwait\w*|sigtimedwait|set_wakeup_fd)\b|\bpause\(")


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    yield from _only_noted(context)
    if module.notebook or not _ENVIRONMENT.search(module.text.text):
        return
    if _HANDLED.search(module.text.text):
        yield from _interrupts_alone(context)
        return
    loops = _endless(module)
    for statement in module.tree.statements if loops else ():
        node = statement.node
        if not isinstance(node, cst.Try) or not any(id(inner) in loops and node in spot.guarded for inner, spot in _all_loops(module)):
            continue
        handler = next((one for one in node.handlers if "KeyboardInterrupt" in caught(one)), None)
        ends = [
            call for call in module.named(*_ENDS) if _client(module, call) and (_after(call, node) or clients.inside(call.spot, handler))
        ]
        if not ends or not _program(module, statement.spot.function):
            continue
        lost = "records that the producer still holds are lost" if any(_client(module, call).endswith("Producer") for call in ends) else ""
        left = "the group waits for session.timeout.ms" if any(_client(module, call).endswith("Consumer") for call in ends) else ""
        message = f"only Ctrl-C gets here: SIGTERM, which docker stop and Kubernetes send, raises nothing in Python, so that {' and '.join(filter(None, (lost, left)))}"
        yield context.finding(
            message,
            module.handler_place(handler) if handler is not None else module.call_place(ends[0]),
            [(module.call_place(call), "does not run") for call in ends[:2]] if handler is not None else (),
        )
        return


def _interrupts_alone(context: Context) -> Iterator[Finding]:
    """A handler for SIGINT that ends a client, in a program that names no SIGTERM."""
    module = context.module
    if _TOLD.search(module.raw):
        return
    for call, signal, run in signals.handled(module):
        if signal != "SIGINT":
            continue
        run = [*run, *(called for function in run for one in function.calls if (called := module.target(one)) is not None)]
        ends = [one for function in run for one in function.calls if one.name in _ENDS and _client(module, one)]
        if ends:
            lost = (
                "the records that the producer still holds are lost"
                if _client(module, ends[0]).endswith("Producer")
                else "the group waits for session.timeout.ms"
            )
            message = f"only Ctrl-C gets to this handler: docker stop and Kubernetes send SIGTERM, which ends the program without it, so that {lost}"
            yield context.finding(message, module.call_place(call), [(module.call_place(ends[0]), "does not run")])
            return


def _only_noted(context: Context) -> Iterator[Finding]:
    """A handler for SIGTERM that only tells of it, once a file: what it takes the place of would have ended the program."""
    module = context.module
    for call, signal, run in signals.handled(module):
        if signal == "SIGTERM" and len(run) == 1 and not run[0].is_lambda and _tells(run[0]) and not _WAITS.search(module.raw):
            message = "this handler notes the signal and returns, and the program goes on as if there had been none: docker stop and Kubernetes wait until their time is over and kill it, so that nothing is flushed, committed or closed"
            yield context.finding(
                message, module.call_place(call), [(module.def_place(run[0]), "notes it")], severity="warning", confidence="medium"
            )
            return


def _tells(function: Any) -> bool:
    """Whether a function does no more than write log lines, and writes one."""
    lines = [part for line in function.body.body for part in (line.body if isinstance(line, cst.SimpleStatementLine) else [line])]
    said = [part for part in lines if not isinstance(part, cst.Pass) and not is_bare(getattr(part, "value", None))]
    return bool(said) and all(
        isinstance(part, cst.Expr) and isinstance(part.value, cst.Call) and last_name(part.value.func) in handlers.LOGS for part in said
    )


def _all_loops(module: Any) -> Iterator[tuple[Any, Any]]:
    for statement in module.tree.statements:
        if isinstance(statement.node, (cst.For, cst.While)):
            yield statement.node, statement.spot


def _endless(module: Any) -> set[int]:
    """Ids of the loops that take records, or send them, for ever."""
    found: set[int] = set()
    for consumer in clients.held(module, clients.CONSUMERS):
        ends = isinstance(consumer.node, cst.Call) and any(
            arm.keyword is not None and arm.keyword.value == "consumer_timeout_ms" for arm in consumer.node.args
        )
        reading = clients.record_loops(module, consumer)
        found |= {id(one.node) for one in clients.loops_over(module, consumer)} if not ends else set()
        found |= {id(node) for node, _ in _all_loops(module) if id(node) in reading and endless(node)}
        for call in clients.uses(module, consumer, "poll", "consume", "getone", "getmany"):
            once = call.function is not None and not call.spot.loops  # `while True: self.take_one()`
            found |= {id(loop) for site in module.call_sites(call.function) for loop in site.spot.loops if endless(loop)} if once else set()
    for call in module.named("send", "produce", "send_and_wait"):
        if any(obj.type in clients.PRODUCERS for obj in module.receivers(call)):
            found |= {id(loop) for loop in call.spot.loops if endless(loop)}
    return found


def _client(module: Any, call: Call) -> str:
    return next((obj.type for obj in module.receivers(call) if obj.type in clients.CONSUMERS | clients.PRODUCERS), "")


def _after(call: Call, node: cst.Try) -> bool:
    """Whether a call stands in the `finally` of a `try`."""
    return call.spot.cleanup and contains(node.finalbody, call.node)


def _program(module: Any, function: Any) -> bool:
    """Whether the module is a program, of which this is part."""
    return function is None or any(isinstance(one.node, cst.If) and is_main(one.node.test) for one in module.tree.statements)
