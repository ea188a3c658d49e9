"""Loops that ask a server again and again, with a pause that a failure never comes to."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from shoal.java.functions import TRIES, around, own_nodes
from shoal.java.requests import waits
from shoal.java.sheet import Sheet
from shoal.java.source import below
from shoal.java.writes import RETRIES, only_logs
from shoal.lazy import pattern

_CATCHES = pattern(r"(?:Exception|Throwable|RuntimeException|(?:java\.io\.)?IOException|HttpTimeoutException|ConnectException)")
# What may take its time, or end the loop, outside of the `try`.
_WAITS = pattern(r"(?i)sleep|wait|poll|delay|backoff|join\(|take\(|acquire|\bbreak\b|\breturn\b")
_LEAVES = ("return_statement", "break_statement", "throw_statement")
_LEVELS = 2


def collect(sheet: Sheet) -> None:
    source = sheet.source
    if not source.named("sleep"):
        return
    for loop in below(source.root, "while_statement"):
        body = loop.child_by_field_name("body")
        if body is None or RETRIES.search(source.written(loop.child_by_field_name("condition"))):
            continue
        for attempt in body.named_children:
            if attempt.type in TRIES:
                _left_out(sheet, body, attempt)


def _left_out(sheet: Sheet, body: Node, attempt: Node) -> None:
    """A `try` that holds a request and, behind it, the only pause of a loop, where what catches a failure does no more than log."""
    source, tried = sheet.source, attempt.child_by_field_name("body")
    pauses = [call for call in source.within(tried) if source.name(call) == "sleep"] if tried is not None else []
    clauses = [part for part in attempt.named_children if part.type == "catch_clause"]
    rest = [part for part in body.named_children if part != attempt] + [
        part for part in attempt.named_children if part.type == "finally_clause"
    ]
    if tried is None or not pauses or any(_WAITS.search(source.written(part)) for part in rest):
        return
    clause = next((clause for clause in clauses if any(map(_CATCHES.fullmatch, _caught(sheet, clause)))), None)
    handler = clause.child_by_field_name("body") if clause is not None else None
    if clause is None or handler is None or only_logs(sheet, handler, True) is None:
        return
    pause = min(pauses, key=lambda pause: pause.start_byte)
    asks = next((call for call in _asking(sheet, tried, _LEVELS) if call.start_byte < pause.start_byte), None)
    if asks is not None and not any(next(own_nodes(handler, kind), None) is not None for kind in _LEAVES):
        related = (
            sheet.out.place(sheet.name_span(asks), "related", "the request"),
            sheet.out.place(sheet.name_span(pause), "related", "the pause that a failure never comes to"),
        )
        sheet.out.oddity("retried-at-once", source.name(asks), source.span(clause.children[0]), related=related)


def _caught(sheet: Sheet, clause: Node) -> list[str]:
    kind = next(below(clause, "catch_type"), None)
    return [sheet.source.written(one) for one in kind.named_children] if kind is not None else []


def _asking(sheet: Sheet, block: Node, levels: int) -> Iterator[Node]:
    """The calls of a block that ask a server, or run a method of this file that does, whose failure comes out of the block."""
    source = sheet.source
    for call in source.within(block):
        if _caught_inside(call, block):
            continue
        if waits(sheet, call):
            yield call
            continue
        method = source.method_called(call) if levels else None
        inner = method.child_by_field_name("body") if method is not None else None
        if inner is None or any(source.name(other) == "sleep" for other in source.within(inner)):
            continue
        if next(_asking(sheet, inner, levels - 1), None) is not None:
            yield call


def _caught_inside(call: Node, block: Node) -> bool:
    """Whether a `try` with a handler stands around a call in a block, or it is left to run later."""
    return any(
        at.type in ("lambda_expression", "class_body", "while_statement", "do_statement")
        or (at.type in TRIES and any(part.type == "catch_clause" for part in at.named_children))
        for at in around(call, block)
    )
