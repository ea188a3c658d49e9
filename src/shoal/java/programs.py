"""What the `main` of a Flink program in Java does besides building a job: it ends its process, or submits what was submitted."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from shoal.facts import Block
from shoal.java.operators import METHODS, OPERATOR, kinds_of, on_task_thread, with_helpers
from shoal.java.sheet import Sheet


def collect(sheet: Sheet) -> None:
    source = sheet.source
    job = next((fact for fact in sheet.out.facts if isinstance(fact, Block) and fact.role == "job" and fact.engine == "flink"), None)
    exits = [call for call in source.named("exit", "halt") if _ends_process(sheet, call)]
    mains = [method for method in source.methods if source.name(method) == "main" and "static" in source.written(method.children[0])]
    if exits and job is not None and job.trait("local") != "yes":
        for run in _run_by(sheet, mains):
            _exits(sheet, run, exits, "main-ends-process", "main")
    seen: set[int] = set()
    for method in source.methods if exits else ():
        body = method.child_by_field_name("body")
        if body is not None and source.name(method) in METHODS and any(map(OPERATOR.fullmatch, kinds_of(sheet, method))):
            for run in with_helpers(sheet, body, seen):
                _exits(sheet, run, exits, "operator-ends-process", source.name(method))


def _ends_process(sheet: Sheet, call: Node) -> bool:
    owner = sheet.source.written(call.child_by_field_name("object")).removeprefix("java.lang.")
    return owner == "Runtime.getRuntime()" or (owner == "System" and sheet.source.name(call) == "exit")


def _exits(sheet: Sheet, body: Node, exits: list[Node], kind: str, method: str) -> None:
    for call in exits:
        if body.start_byte <= call.start_byte < body.end_byte and on_task_thread(call, body) and not sheet.source.local_only(call):
            sheet.out.oddity(kind, method, sheet.name_span(call))


def _run_by(sheet: Sheet, methods: list[Node]) -> Iterator[Node]:
    """The bodies of methods and of those of this file that they call, directly or through another."""
    source, waiting = sheet.source, list(methods)
    seen: set[int] = set()
    while waiting:
        method = waiting.pop(0)
        body = method.child_by_field_name("body")
        if body is None or method.start_byte in seen:
            continue
        seen.add(method.start_byte)
        yield body
        called = [source.method_called(call) for call in source.within(body) if on_task_thread(call, body)]
        waiting += [other for other in called if other is not None]
