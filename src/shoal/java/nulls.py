"""Records that a map in Java makes null of, and the next operator takes for granted."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from shoal.java.functions import applied, kinds_of, own_nodes
from shoal.java.sheet import Sheet
from shoal.java.source import chained
from shoal.java.uids import SAYS
from shoal.lazy import pattern
from shoal.python.values import names

_NEXT = names("filter map flatMap keyBy")
_GETTER = pattern(r"\w+::(?:get|is)[A-Z]\w*")


def collect(sheet: Sheet) -> None:
    source = sheet.source
    for call in source.named("map"):
        given = source.arguments(call)
        null = _null(sheet, given[0]) if len(given) == 1 else None
        if null is None:
            continue
        for other in _consumers(sheet, call):
            part = source.arguments(other)[0]
            if _dereferences(sheet, part):
                related = (sheet.out.place(source.span(null))._replace(role="related", label="the null"),)
                sheet.out.oddity("null-dereferenced", source.name(other), source.span(part), related=related)


def _null(sheet: Sheet, work: Node) -> Node | None:
    """Where a function that is given to `map` returns null: a lambda, maybe behind a cast, or an object of a class of this file."""
    source = sheet.source
    while work.type in ("cast_expression", "parenthesized_expression") and work.named_children:
        work = work.named_children[-1]
    body = None
    if work.type == "lambda_expression" and applied(sheet, work):
        body = work.child_by_field_name("body")
    elif work.type == "object_creation_expression":
        kind = source.type_of(work)
        maps = [
            method
            for method in source.methods
            if source.name(method) == "map" and any(one.endswith("MapFunction") for one in kinds_of(sheet, method))
        ]
        mine = [
            method
            for method in maps
            if (owner := source.class_of(method)) == work or source.written(owner.child_by_field_name("name") if owner else None) == kind
        ]
        body = mine[0].child_by_field_name("body") if len(mine) == 1 else None
    for node in own_nodes(body, "return_statement") if body is not None and body.type == "block" else ():
        if node.named_children and node.named_children[0].type == "null_literal":
            return node
    return None


def _consumers(sheet: Sheet, call: Node) -> Iterator[Node]:
    """What is applied to a stream next: in its chain, or on the name that it is given."""
    source, at = sheet.source, call
    for at in chained(call):
        if source.name(at) not in SAYS and source.name(at) != "uid":
            if source.name(at) in _NEXT and len(source.arguments(at)) == 1:
                yield at
            return
    holder = at.parent
    if holder is None or holder.type != "variable_declarator":
        return
    name = source.written(holder.child_by_field_name("name"))
    for other in source.named(*_NEXT):
        owner = other.child_by_field_name("object")
        if owner is None or source.written(owner) != name or len(source.arguments(other)) != 1:
            continue
        declared = source.declaration(name, owner)
        if declared is not None and declared.node == holder and source.given(declared) is not None:
            yield other


def _dereferences(sheet: Sheet, work: Node) -> bool:
    """Whether a lambda or a getter uses a record without having asked whether there is one."""
    source = sheet.source
    while work.type in ("cast_expression", "parenthesized_expression") and work.named_children:
        work = work.named_children[-1]
    if work.type == "method_reference":
        return _GETTER.fullmatch(source.written(work)) is not None
    parameters, body = work.child_by_field_name("parameters"), work.child_by_field_name("body")
    if work.type != "lambda_expression" or parameters is None or body is None:
        return False
    name = re.escape(re.split(r"[\s,]+", source.written(parameters).strip("() "))[-1])
    text = source.written(body)
    asked = re.search(
        rf"\b{name}\s*[!=]=\s*null|\bnull\s*[!=]=\s*{name}\b|(?i:null)\w*\(\s*{name}\s*[,)]|\b{name}\s+instanceof\b|\bcatch\b", text
    )
    first = re.search(rf"(?<![\w.]){name}\b", text)
    return asked is None and first is not None and re.match(r"\s*\.\s*\w", text[first.end() :]) is not None
