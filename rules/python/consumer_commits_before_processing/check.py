"""Auto-commit together with work that is handed on, swallowed or written elsewhere: at-most-once, or a double write, around a crash."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.facts import Setting
from shoal.job import Job
from shoal.model import Finding
from shoal.python import clients
from shoal.python.flow import catches_all, reraises
from shoal.python.tree import Call, dotted
from shoal.python.values import names

_HANDED = {
    ("py.Executor", "submit"),
    ("py.Executor", "map"),
    ("py.Queue", "put"),
    ("py.AsyncQueue", "put"),
    ("py.Loop", "run_in_executor"),
    ("py.Pool", "apply_async"),
}
_LOGS = names("print error warning exception info debug warn critical str format print_exc sleep repr")
_WRITES = ("execute", "executemany", "insert_one", "insert_many", "to_sql")


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    blocks = {block.place.span: block for block in job.select("kafka", ("consumer",), ("python",))}
    for call, consumer in clients.made(module, clients.CONSUMERS):
        block = blocks.get(module.call_place(call).span)
        if block is None or block.open:
            continue
        auto, group = job.written(block, "enable.auto.commit"), job.written(block, "group.id")
        if group is None and not (call.node.args and clients.library(consumer) == "confluent-kafka"):
            continue  # without a group nothing is committed
        if auto is not None and (not auto.known or auto.text.strip().lower() == "false"):
            continue
        if clients.uses(module, consumer, "commit") or (clients.library(consumer) == "confluent-kafka" and _stores(job, block)):
            continue
        yield from _loops(context, module, consumer, call, auto)


def _stores(job: Job, block: Any) -> bool:
    stored = job.written(block, "enable.auto.offset.store")
    return stored is not None and stored.text.strip().lower() == "false"


def _loops(context: Context, module: Any, consumer: Any, made: Call, auto: Setting | None) -> Iterator[Finding]:
    """Look at the calls in the loops that take the consumer's records."""
    related = [(auto, "auto-commit is on") if auto is not None else (module.call_place(made), "enable.auto.commit is on by default")]
    loops = clients.record_loops(module, consumer)
    if not loops:
        return
    kept = _kept(module, loops)
    if kept is not None:
        call, name = kept
        message = f"records wait in {name} until there are enough of them, and their offsets are committed by the clock meanwhile: those that wait at a crash are lost (commit after the batch is written)"
        yield context.finding(message, module.call_place(call), related, covers=[module.covers(call)])
        return
    said = False
    for call in module.calls:
        arms = [arm for arm in call.spot.arms if arm.kind == "loop" and id(arm.test) in loops]
        if not arms:
            continue
        full = module.qualified(call)
        if (
            (module.receiver_type(call), call.name) in _HANDED
            or full in ("asyncio.create_task", "asyncio.ensure_future")
            or (full == "threading.Thread")
        ):
            message = "the record is handed to other code and its offset is committed by the clock, done or not: what is in flight at a crash is lost"
            yield context.finding(message, module.call_place(call), related, covers=[module.covers(call)])
            return
        for handler in clients.handlers(call):
            if (
                catches_all(handler)
                and not reraises(handler)
                and _inside(module, handler, loops)
                and not said
                and not _dead_letter(module, handler)
            ):
                said = True
                message = "a record that fails here is logged at best, and its offset is committed with the next: it is never tried again"
                statement = next(s for s in module.tree.statements if s.node is handler)
                yield context.finding(message, module.place(handler.type or handler, statement.spot), related, confidence="low")
    if said:
        return
    for call in module.named(*_WRITES):
        if any(arm.kind == "loop" and id(arm.test) in loops for arm in call.spot.arms) and call.use == "dropped":
            message = "the write and the commit of the offset are not one: with auto-commit a crash between them writes a record twice or drops it (commit after the write, and make the write idempotent)"
            yield context.finding(message, module.call_place(call), related, severity="info", covers=[module.covers(call)])
            return


def _kept(module: Any, loops: set[int]) -> tuple[Call, str] | None:
    """The call that keeps a record in a list which is worked on only when it is long enough, and the list's name."""
    tests = [
        cst.Module([]).code_for_node(statement.node.test)
        for statement in module.tree.statements
        if isinstance(statement.node, cst.If) and clients.in_loops(statement.spot, loops)
    ]
    for call in module.named("append", "extend"):
        name = dotted(call.receiver_node) if call.receiver_node is not None else ""
        if not name or call.use != "dropped" or not clients.in_loops(call.spot, loops):
            continue
        enough = re.compile(rf"\blen\({re.escape(name)}\)\s*(?:>=?|==)(?!\s*0\b)")
        if any(enough.search(test) for test in tests) and _begun(module, name, loops):
            return call, name
    return None


def _begun(module: Any, name: str, loops: set[int]) -> bool:
    """Whether the list is made outside the loops, so that it outlives one round."""
    for statement in module.tree.statements:
        node = statement.node
        targets = [one.target for one in node.targets] if isinstance(node, cst.Assign) else [getattr(node, "target", None)]
        if not isinstance(node, (cst.Assign, cst.AnnAssign)) or clients.in_loops(statement.spot, loops):
            continue
        if any(isinstance(target, (cst.Name, cst.Attribute)) and dotted(target) == name for target in targets):
            return True
    return False


def _inside(module: Any, handler: Any, loops: set[int]) -> bool:
    statement = next((s for s in module.tree.statements if s.node is handler), None)
    return statement is not None and any(arm.kind == "loop" and id(arm.test) in loops for arm in statement.spot.arms)


def _dead_letter(module: Any, handler: Any) -> bool:
    """Whether the handler passes the record on: any call in it but logging and printing."""
    return any(call.name not in _LOGS and clients.inside(call.spot, handler) for call in module.calls)
