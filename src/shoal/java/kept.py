"""Fields in which an operator keeps what its output hangs on, and which no checkpoint holds."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from shoal.java.functions import METHODS, OPERATOR, kinds_of, own_nodes, with_helpers
from shoal.java.sheet import Sheet
from shoal.java.source import Declaration, below
from shoal.python.values import names

_NUMBERS = re.compile(r"int|long|short|double|float|Integer|Long|Double|Float|BigDecimal|Atomic(?:Integer|Long)")
_MAPS = re.compile(r"(?:(?:Linked)?Hash|Tree|ConcurrentHash|)Map")
_SETS = re.compile(r"(?:(?:Linked)?Hash|Tree|)Set")
_COUNTS = names("incrementAndGet addAndGet getAndIncrement getAndAdd accumulateAndGet updateAndGet")
_EMITS = names("collect output")
# What is a matter of speed or of the log, and may well begin anew.
_HARMLESS = re.compile(r"(?i)cache|lru|metric|counter|gauge|meter|log|debug|client|conn|index|round|processed|errors?$|lookup|pool|session")
_SAVES = re.compile(r"\b(?:snapshotState|CheckpointedFunction|ListCheckpointed|notifyCheckpointComplete)\b")


def collect(sheet: Sheet) -> None:
    source = sheet.source
    said: set[Declaration] = set()
    for method in source.methods:
        body = method.child_by_field_name("body")
        if body is None or source.name(method) not in METHODS:
            continue
        kinds, owner = kinds_of(sheet, method), source.class_of(method)
        if owner is None or not any(map(OPERATOR.fullmatch, kinds)) or any("Sink" in kind or "Async" in kind for kind in kinds):
            continue
        if _SAVES.search(source.written(owner)):
            continue
        for run in with_helpers(sheet, body, set()):
            for field, node in _changes(sheet, run):
                plain = field not in said and field.kind == "field" and not _HARMLESS.search(field.name)
                if plain and not _given_anew(sheet, field, node) and _told(sheet, owner, field):
                    said.add(field)
                    sheet.out.oddity("field-as-state", field.name, source.span(node))


def _changes(sheet: Sheet, body: Node) -> Iterator[tuple[Declaration, Node]]:
    """The fields that a method adds to, each with the node that names it."""
    source = sheet.source
    for node in own_nodes(body, "update_expression"):
        yield from _named(sheet, node.named_children[0], _NUMBERS)
    for node in own_nodes(body, "assignment_expression"):
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is not None:
            for field, at in _named(sheet, left, _NUMBERS):
                if source.written(node.child_by_field_name("operator")) != "=" or _mentions(source.written(right), field.name):
                    yield field, at
    for call in own_nodes(body, "method_invocation"):
        target, name, given = call.child_by_field_name("object"), source.name(call), source.arguments(call)
        if target is None:
            continue
        if name in _COUNTS:
            yield from _named(sheet, target, _NUMBERS)
        elif name in ("merge", "compute") and len(given) > 1:
            yield from _named(sheet, target, _MAPS)
        elif name == "put" and len(given) == 2 and given[0].type != "string_literal":
            for field, at in _named(sheet, target, _MAPS):
                if any(_mentions(source.written(given[1]), known) for known in (field.name, *_derived(sheet, body, field.name))):
                    yield field, at
        elif name == "add" and len(given) == 1:
            yield from _named(sheet, target, _SETS)


def _given_anew(sheet: Sheet, field: Declaration, node: Node) -> bool:
    """Whether a method that Flink calls gives the field another value: one that it got elsewhere, or for one call alone."""
    source, method = sheet.source, sheet.source.method_of(node)
    for assignment in source.assigned(field):
        right, home = assignment.child_by_field_name("right"), source.method_of(assignment)
        if (
            right is None
            or home is None
            or source.name(home) not in METHODS
            or source.written(assignment.child_by_field_name("operator")) != "="
        ):
            continue
        # above, or below for the next call
        own = home == method and not source.conditional(assignment)
        if not _mentions(source.written(right), field.name) and (own or not right.type.endswith(("_literal", "creation_expression"))):
            return True
    return False


def _named(sheet: Sheet, node: Node, types: re.Pattern[str]) -> Iterator[tuple[Declaration, Node]]:
    source = sheet.source
    declared = source.declaration(source.written(node).removeprefix("this."), node) if node.type in ("identifier", "field_access") else None
    if declared is not None and types.fullmatch(declared.type):
        yield declared, node


def _told(sheet: Sheet, owner: Node, field: Declaration) -> bool:
    """Whether what is kept comes out of the operator, or, of a set, decides what does."""
    source = sheet.source
    if re.search(rf"\b{re.escape(field.name)}\)?\s*%", source.written(owner)):
        return False  # one of so many, or in turn
    known = {field.name, *_derived(sheet, owner, field.name)}
    given = (node for node in below(owner, "return_statement") if (method := source.method_of(node)) and source.name(method) in METHODS)
    shown = [*given, *(call for call in below(owner, "method_invocation") if source.name(call) in _EMITS)]
    if _SETS.fullmatch(field.type):
        shown += [part for kind in ("if_statement", "ternary_expression") for part in below(owner, kind)]
        shown = [part.child_by_field_name("condition") or part for part in shown]
    return any(_mentions(source.written(part), name) for part in shown for name in known)


def _derived(sheet: Sheet, inside: Node, name: str) -> set[str]:
    """The local names that are given something with the field in it."""
    source = sheet.source
    given = [(node.child_by_field_name("name"), node.child_by_field_name("value")) for node in below(inside, "variable_declarator")]
    given += [(node.child_by_field_name("left"), node.child_by_field_name("right")) for node in below(inside, "assignment_expression")]
    return {
        source.written(to) for to, value in given if to is not None and to.type == "identifier" and _mentions(source.written(value), name)
    }


def _mentions(text: str, name: str) -> bool:
    return re.search(rf"(?<![\w\"]){re.escape(name)}\b(?!\()", text) is not None
