"""Threads and executors that operators start and that nothing stops."""

from __future__ import annotations

import re

from tree_sitter import Node

from shoal.java.functions import OPERATOR, kinds_of, on_task_thread
from shoal.java.sheet import Sheet
from shoal.lazy import pattern
from shoal.python.values import names

_ONCE = names("open initializeState setup close cancel finish run start main setRuntimeContext")  # what Flink calls once
_STOPS = pattern(r"\b(?:shutdown|shutdownNow|interrupt|close|join|cancel|stop)\w*\(\)")
# Executors, which method ends one, and what is given one to run on and leaves it alone.
_POOLS = names("ThreadPoolExecutor ScheduledThreadPoolExecutor ForkJoinPool")
_SHUTS = pattern(r"shutdown|close|stop|terminate")
_RUNS_ON = pattern(r"supplyAsync|runAsync|delayedExecutor|(?:then|when|handle|exceptionally)\w*Async")


def workers_left(sheet: Sheet, method: Node, body: Node) -> None:
    """Threads and executors that `open` starts and that nothing stops."""
    source = sheet.source
    owner = source.class_of(method)
    if owner is None:
        return
    stops = _STOPS.search(source.written(owner)) is not None
    for call in source.within(body):
        kind = source.type_of(call.child_by_field_name("object"))
        pool = kind == "class:Executors" and source.name(call).startswith("new")
        if (pool or (kind == "Thread" and source.name(call) == "start")) and (not stops or (pool and _left_running(sheet, owner, call))):
            sheet.out.oddity("worker-not-stopped", f"{kind.removeprefix('class:')}.{source.name(call)}", sheet.name_span(call))
    for made in source.news:
        kind = source.type_of(made)
        inside = body.start_byte <= made.start_byte < body.end_byte and on_task_thread(made, body)
        known = kind in _POOLS and source.imports.get(kind, "java.util.concurrent.").startswith("java.util.concurrent.")
        if inside and known and (not stops or _left_running(sheet, owner, made)):
            sheet.out.oddity("worker-not-stopped", kind, source.span(made.child_by_field_name("type") or made))


def _left_running(sheet: Sheet, owner: Node, made: Node) -> bool:
    """Whether an executor has a name by which nothing in the file stops it, and that is given to nobody who may."""
    source = sheet.source
    name = source.kept_as(made)
    if not name or "abstract" in source.written(owner.children[0]).split():
        return False
    calls = [call for call in source.calls if source.written(call.child_by_field_name("object")).removeprefix("this.") == name]
    handed = [call for spelt in (name, f"this.{name}") for call, _ in source.handed.get(spelt, ())]
    named = re.escape(name)
    return (
        not any(_SHUTS.match(source.name(call)) for call in calls)
        and all(call.type == "method_invocation" and _RUNS_ON.fullmatch(source.name(call)) for call in handed)
        and not re.search(rf"(?:[=?:]|\breturn)\s*(?:this\s*\.\s*)?{named}\s*[;,:)]|\b{named}\s*::", source.text)
    )


def threads_per_record(sheet: Sheet, owner: Node) -> None:
    """Threads that a class starts while records come, of which it interrupts and joins none."""
    source = sheet.source
    body = owner.child_by_field_name("body")
    kinds = kinds_of(sheet, body.named_children[0]) if body is not None and body.named_children else []
    if body is None or not any(map(OPERATOR.fullmatch, kinds)) or re.search(r"\.(?:interrupt|join)\(\)", source.written(body)):
        return
    for node in source.news:
        method = source.method_of(node)
        if source.type_of(node) != "Thread" or source.class_of(node) != owner or method is None or method.type != "method_declaration":
            continue
        if source.name(method) in _ONCE or not _started(sheet, node, method):
            continue
        sheet.out.oddity("thread-per-record", source.name(method), source.span(node.child_by_field_name("type") or node))


def _started(sheet: Sheet, made: Node, method: Node) -> bool:
    """Whether a thread is started where it is made, or by its name in the same method."""
    source, holder = sheet.source, made.parent
    if holder is not None and holder.type == "method_invocation":
        return source.name(holder) == "start"
    name = source.written(holder.child_by_field_name("name")) if holder is not None and holder.type == "variable_declarator" else ""
    return bool(name) and any(
        source.name(call) == "start" and source.written(call.child_by_field_name("object")) == name for call in source.within(method)
    )
