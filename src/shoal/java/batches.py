"""The functions that Structured Streaming in Java hands its batches to: what they swallow, and what they write twice."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from shoal.facts import Oddity
from shoal.java.functions import kinds_of, on_task_thread, with_helpers
from shoal.java.sheet import Sheet
from shoal.java.source import below
from shoal.java.writes import logs, swallowed, writes
from shoal.lazy import pattern
from shoal.python.values import Known, Symbol, names
from shoal.records import NamedTuple

# What ends the chain of a batch's own writer.
_SAVES = names("save saveAsTable insertInto jdbc parquet json csv orc text append")
# Formats that write by key, or for which a key may be told.
_BY_KEY = pattern(
    r"(?i)cassandra|mongo|elasticsearch|^es$|redis|dynamodb|hudi|cosmos|neo4j|opensearch|bigtable|hbase|kudu|phoenix|console|noop"
)
# What shows that a function minds what is there already.
_MINDS = pattern(
    r"(?i)\b(?:merge\w*|upsert\w*|on\s+(?:conflict|duplicate)|replace\s+into|delete\b|truncate\w*|left_?anti|join|overwrite)\b|\bexcept(?:All)?\s*\("
)
_OF_WRITER, _OF_CLIENT = "batch-swallowed", "batch-of-client-swallowed"
_FUNCTION = pattern(r"VoidFunction2\s*<\s*(?:[\w.]*\.)?Dataset\b")


class Batch(NamedTuple):
    """A function of batches: its body, and what it calls the batch's id; empty where it has no name for it."""

    body: Node
    number: str


def collect(sheet: Sheet) -> None:
    looked_at: set[int] = set()
    for batch in _batches(sheet):
        for run in with_helpers(sheet, batch.body, looked_at):
            swallowed(sheet, run, _OF_WRITER, _saves)
            told = {fact.place for fact in sheet.out.facts if isinstance(fact, Oddity) and fact.kind == _OF_WRITER}
            swallowed(sheet, run, _OF_CLIENT, writes)
            sheet.out.facts[:] = [
                fact for fact in sheet.out.facts if not (isinstance(fact, Oddity) and fact.kind == _OF_CLIENT and fact.place in told)
            ]
        _appended(sheet, batch)


def _batches(sheet: Sheet) -> Iterator[Batch]:
    source = sheet.source
    seen: set[int] = set()
    given = [found[0] for call in source.named("foreachBatch") if (found := source.arguments(call))]
    methods = [method for method in source.methods if source.name(method) == "call" and _is_of_batches(sheet, method)]
    functions = [*(_function(sheet, node) for node in given), *(_of_method(sheet, method) for method in methods)]
    for batch in functions:
        if batch is not None and batch.body.start_byte not in seen:
            seen.add(batch.body.start_byte)
            yield batch


def _is_of_batches(sheet: Sheet, method: Node) -> bool:
    """Whether a method is `call` of a `VoidFunction2` of a Dataset, of a class or of what stands here without a name."""
    owner = sheet.source.class_of(method)
    body = owner.child_by_field_name("body") if owner is not None else None
    if owner is None:
        return False
    head = sheet.source.text[owner.start_byte : (body or method).start_byte]
    return bool(_FUNCTION.search(head)) and "VoidFunction2" in kinds_of(sheet, method, "org.apache.spark.")


def _function(sheet: Sheet, node: Node, level: int = 0) -> Batch | None:
    source = sheet.source
    while node.type in ("cast_expression", "parenthesized_expression") and node.named_children:
        node = node.named_children[-1]
    if node.type == "lambda_expression":
        body, parameters = node.child_by_field_name("body"), node.child_by_field_name("parameters")
        named = [part for part in parameters.named_children if part.type != "comment"] if parameters is not None else []
        last = named[-1] if len(named) == 2 else None
        number = last.child_by_field_name("name") or last if last is not None else None
        return Batch(body, source.written(number)) if body is not None else None
    if node.type == "method_reference":
        method = source.method_referred(node)
        return _of_method(sheet, method) if method is not None else None
    if node.type in ("identifier", "field_access") and level < 3:
        declared = source.declared_by(node)
        value = source.given(declared) if declared is not None else None
        return _function(sheet, value, level + 1) if value is not None else None
    return None


def _of_method(sheet: Sheet, method: Node) -> Batch | None:
    body, parameters = method.child_by_field_name("body"), method.child_by_field_name("parameters")
    named = [part for part in parameters.named_children if part.type == "formal_parameter"] if parameters is not None else []
    if body is None or len(named) != 2:
        return None
    return Batch(body, sheet.source.written(named[1].child_by_field_name("name")))


def _saves(sheet: Sheet, body: Node) -> Iterator[Node]:
    """The calls by which a batch is written by its own writer."""
    return (call for call in sheet.source.within(body) if _chain(sheet, call) and on_task_thread(call, body))


def _chain(sheet: Sheet, call: Node) -> list[Node]:
    """The calls of a batch's writer up to the one that writes, from `write()` on; empty for any other call."""
    source = sheet.source
    at: Node | None = call
    found: list[Node] = []
    if source.name(call) not in _SAVES:
        return []
    while at is not None and at.type == "method_invocation":
        found.insert(0, at)
        if source.name(at) == "write" and not source.arguments(at):
            return found
        at = at.child_by_field_name("object")
    return []


def _appended(sheet: Sheet, batch: Batch) -> None:
    """A write that appends, in a function that does nothing with the batch's id but to log it, and minds nothing that is there."""
    source = sheet.source
    if _MINDS.search(_without_comments(sheet, batch.body)) or _counts_by(sheet, batch):
        return
    for call in source.within(batch.body):
        chain = _chain(sheet, call)
        by_name = {source.name(one): one for one in chain}
        if not chain or not on_task_thread(call, batch.body):
            continue
        mode = by_name.get("mode")
        if source.name(call) != "insertInto" and (mode is None or not _appends(sheet, mode)):
            continue
        form = by_name.get("format")
        shown = (
            _text(sheet, form)
            if form is not None
            else source.name(call)
            if source.name(call) in ("jdbc", "parquet", "json", "csv", "orc", "text")
            else "table"
        )
        if form is not None and (not shown or _BY_KEY.search(shown)):
            continue
        sheet.out.oddity("batch-appended", shown, sheet.name_span(form or call), "id" if batch.number else "")
        return


def _appends(sheet: Sheet, mode: Node) -> bool:
    given = sheet.source.arguments(mode)
    value = sheet.source.value(given[0]) if given else None
    if isinstance(value, Known):
        return str(value.value).lower() == "append"
    return (bool(given) and sheet.source.written(given[0]).rpartition(".")[2] == "Append") or (
        isinstance(value, Symbol) and value.last == "Append"
    )


def _text(sheet: Sheet, call: Node) -> str:
    given = sheet.source.arguments(call)
    value = sheet.source.value(given[0]) if given else None
    return str(value.value) if isinstance(value, Known) else ""


def _counts_by(sheet: Sheet, batch: Batch) -> bool:
    """Whether a function uses the batch's id for more than lines of a log and texts of failures."""
    source = sheet.source
    for name in below(batch.body, "identifier") if batch.number else ():
        if source.written(name) != batch.number:
            continue
        at: Node | None = name
        while at is not None and at != batch.body and not at.type.endswith("_statement"):
            at = at.parent
        if at is None or not (at.type == "throw_statement" or (at.type == "expression_statement" and logs(sheet, at) is not None)):
            return True
    return False


def _without_comments(sheet: Sheet, body: Node) -> str:
    return re.sub(r"//[^\n]*|/\*.*?\*/", "", sheet.source.written(body), flags=re.DOTALL)
