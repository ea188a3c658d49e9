"""Commits in Java that come before the work on the records: by Kafka's consumer in its loop, and by Spring's listeners."""

from __future__ import annotations

import re

from tree_sitter import Node

from shoal.facts import Usage
from shoal.java.functions import loop_around
from shoal.java.sheet import Sheet
from shoal.java.writes import listens
from shoal.lazy import pattern

# What is no work on a record: it is told of, counted or looked at.
_TOLD = pattern(r"(?i)^\s*(?:this\.)?(?:\w*log\w*|System\.(?:out|err))\s*\.|\b(?:increment|inc|record|observe)\(")


def collect(sheet: Sheet) -> None:
    source = sheet.source
    for call in source.named("commitSync", "commitAsync"):
        kind = source.type_of(call.child_by_field_name("object"))
        if kind not in ("KafkaConsumer", "Consumer") or _of_offsets(sheet, call):
            continue
        statement, loop = call.parent, loop_around(call, None)
        if (
            statement is None
            or statement.type != "expression_statement"
            or loop is None
            or statement.parent != loop.child_by_field_name("body")
        ):
            continue
        before, after = _around(statement)
        polled = [node for node in before if node.type == "local_variable_declaration" and re.search(r"\.\s*poll\(", source.written(node))]
        names = [
            source.written(one.child_by_field_name("name")) for node in polled for one in node.children if one.type == "variable_declarator"
        ]
        for name in names[-1:]:
            if not any(_works(sheet, node, name) for node in before if node not in polled) and any(
                _works(sheet, node, name) for node in after
            ):
                sheet.out.oddity("committed-first", source.name(call), sheet.name_span(call))
    for call in source.named("acknowledge"):
        statement, method = call.parent, source.method_of(call)
        if source.type_of(call.child_by_field_name("object")) != "Acknowledgment" or statement is None or method is None:
            continue
        if statement.type != "expression_statement" or statement.parent != method.child_by_field_name("body"):
            continue
        before, after = _around(statement)
        parameters = method.child_by_field_name("parameters")
        for one in parameters.named_children if parameters is not None else ():
            name, kind = source.written(one.child_by_field_name("name")), source.written(one.child_by_field_name("type"))
            if kind == "Acknowledgment" or not name:
                continue
            if not any(_works(sheet, node, name) for node in before) and any(_works(sheet, node, name) for node in after):
                sheet.out.oddity("committed-first", source.name(call), sheet.name_span(call))
                break


def acknowledged(sheet: Sheet) -> None:
    """The listeners of Spring's that take an `Acknowledgment`, and what their containers are told of it."""
    source = sheet.source
    for call in source.named("setAckMode"):
        written = source.written(source.arguments(call)[0]) if source.arguments(call) else "?"
        mode = written.rpartition(".")[2] if re.fullmatch(r"[\w.]+", written) else "?"
        sheet.out.facts.append(Usage("ack-mode", mode if mode.isupper() else "?", sheet.out.place(sheet.name_span(call))))
    for method in source.methods:
        parameters = method.child_by_field_name("parameters")
        if parameters is None or not listens(sheet, method):
            continue
        for one in parameters.named_children:
            kind = source.written(one.child_by_field_name("type"))
            if kind == "Acknowledgment" and source.is_of(kind, "org.springframework.kafka."):
                sheet.out.facts.append(Usage("takes-acknowledgment", source.name(method), sheet.out.place(source.span(one))))


def _of_offsets(sheet: Sheet, call: Node) -> bool:
    """Whether a commit is told what to commit: more than a callback."""
    given = sheet.source.arguments(call)
    return bool(given) and not (sheet.source.name(call) == "commitAsync" and len(given) == 1)


def _around(statement: Node) -> tuple[list[Node], list[Node]]:
    siblings = statement.parent.named_children if statement.parent is not None else []
    at = siblings.index(statement)
    return siblings[:at], siblings[at + 1 :]


def _works(sheet: Sheet, node: Node, name: str) -> bool:
    """Whether a statement does something with what a name stands for."""
    text = sheet.source.written(node)
    if (
        node.type.endswith("comment")
        or node.type == "return_statement"
        or _TOLD.search(text)
        or not re.search(rf"\b{re.escape(name)}\b", text)
    ):
        return False
    # asked for how many there are, or for its parts, which are used below
    return not re.fullmatch(r"(?s)if\s*\([^{}]*\)\s*(?:\{\s*)?(?:continue|return|break);\s*\}?", text)
