"""Fields in which an operator keeps what its output hangs on, and which no checkpoint holds."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from shoal.java.functions import METHODS, OPERATOR, kinds_of, own_nodes, with_helpers
from shoal.java.sheet import Sheet
from shoal.java.source import Declaration, below
from shoal.lazy import pattern
from shoal.python.values import names

_NUMBERS = pattern(r"int|long|short|double|float|Integer|Long|Double|Float|BigDecimal|Atomic(?:Integer|Long)")
_MAPS = pattern(r"(?:(?:Linked)?Hash|Tree|ConcurrentHash|)Map")
_SETS = pattern(r"(?:(?:Linked)?Hash|Tree|)Set")
_COUNTS = names("incrementAndGet addAndGet getAndIncrement getAndAdd accumulateAndGet updateAndGet")
_EMITS = names("collect output")
_FILLS = names("add addAll addFirst addLast offer push put putAll merge compute append")
_DEEP = 12  # steps from a value to the record that it is of
_CONTAINER = pattern(r"\w*(?:Map|Set|List|Queue|Deque)")
# What is a matter of speed or of the log, and may well begin anew.
_HARMLESS = pattern(r"(?i)cache|lru|metric|counter|gauge|meter|log|debug|client|conn|index|round|processed|errors?$|lookup|pool|session")
_SAVES = pattern(r"\b(?:snapshotState|CheckpointedFunction|ListCheckpointed|notifyCheckpointComplete)\b")


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
            found = [(field, node, False) for field, node in _changes(sheet, run)]
            for field, node, far in (*found, *((field, node, True) for field, node in _remembered(sheet, run))):
                plain = field not in said and field.kind == "field" and not _HARMLESS.search(field.name)
                if plain and not _given_anew(sheet, field, node) and _told(sheet, owner, field, far):
                    said.add(field)
                    declared = sheet.out.place(source.span(field.node))._replace(role="related", label="the field")
                    sheet.out.oddity("field-as-state", field.name, source.span(node), related=(declared,))


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
                if given[1].type == "identifier" and _missed(sheet, body, call, field):
                    continue  # a cache
                if any(_mentions(source.written(given[1]), known) for known in (field.name, *_derived(sheet, body, field.name))):
                    yield field, at
        elif name == "add" and len(given) == 1:
            yield from _named(sheet, target, _SETS)


def _remembered(sheet: Sheet, body: Node) -> Iterator[tuple[Declaration, Node]]:
    """The maps in which a method keeps its records, or what it takes from them, for later ones; each with the node that names it.

    What is put in once it is missed there, and comes from elsewhere, is a cache.
    """
    source = sheet.source
    for call in own_nodes(body, "method_invocation"):
        target, name, given = call.child_by_field_name("object"), source.name(call), source.arguments(call)
        if target is None or len(given) != 2:
            continue
        for field, at in _named(sheet, target, _MAPS):
            if name == "computeIfAbsent":
                keeps = _filled(sheet, body, call)
            else:
                keeps = name == "put" and (
                    _fresh(sheet, given[1]) or (_of_record(sheet, given[1]) and not _missed(sheet, body, call, field))
                )
            if keeps:
                yield field, at


def _fresh(sheet: Sheet, value: Node) -> bool:
    """Whether a value is an empty container, for what comes later; it may have a name."""
    if value.type == "identifier" and (declared := sheet.source.declaration(sheet.source.written(value), value)) is not None:
        return declared.kind == "local" and any(
            node is not None and node.type == "object_creation_expression" and _fresh(sheet, node)
            for node in (declared.value, *(one.child_by_field_name("right") for one in sheet.source.assigned(declared)))
        )
    made = value.type == "object_creation_expression" and not sheet.source.arguments(value)
    return made and _CONTAINER.fullmatch(sheet.source.type_of(value)) is not None


def _filled(sheet: Sheet, body: Node, call: Node) -> bool:
    """Whether something is put into what a map gives."""
    source, parent = sheet.source, call.parent
    if parent is not None and parent.type == "method_invocation" and parent.child_by_field_name("object") == call:
        return source.name(parent) in _FILLS
    if parent is None or parent.type != "variable_declarator":
        return False
    name = source.written(parent.child_by_field_name("name"))
    return any(
        source.written(other.child_by_field_name("object")) == name and source.name(other) in _FILLS for other in source.within(body)
    )


def _of_record(sheet: Sheet, value: Node | None, level: int = 0) -> bool:
    """Whether a value is a parameter of the method, or a part of one: not what something else gives for it."""
    source = sheet.source
    if value is None or level > _DEEP:
        return False
    if value.type == "identifier":
        declared = source.declaration(source.written(value), value)
        if declared is None or declared.kind == "field":
            return False
        return declared.kind == "parameter" or _of_record(sheet, declared.value, level + 1)
    if value.type in ("method_invocation", "field_access"):
        target = value.child_by_field_name("object")
        if target is not None and source.written(target)[:1].isupper():  # a class: `JSON.parse(text)`
            target = None
        given = source.arguments(value) if target is None and value.type == "method_invocation" else []
        return _of_record(sheet, target, level + 1) or any(_of_record(sheet, one, level + 1) for one in given)
    if value.type == "object_creation_expression":
        return any(_of_record(sheet, one, level + 1) for one in source.arguments(value))
    if value.type in ("parenthesized_expression", "cast_expression", "binary_expression"):
        return any(_of_record(sheet, one, level + 1) for one in value.named_children)
    return False


def _missed(sheet: Sheet, body: Node, call: Node, field: Declaration) -> bool:
    """Whether a condition around a call asks what the map has already."""
    source = sheet.source
    known = {field.name, *_derived(sheet, body, field.name)}
    at = call.parent
    while at is not None and at != body:
        asked = at.child_by_field_name("condition")
        if asked is not None and any(_mentions(source.written(asked), name) for name in known):
            return True
        at = at.parent
    return False


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


def _told(sheet: Sheet, owner: Node, field: Declaration, far: bool = False) -> bool:
    """Whether what is kept comes out of the operator, or, of a set, decides what does. `far`: by whatever it is put into on the way."""
    source = sheet.source
    if re.search(rf"\b{re.escape(field.name)}\)?\s*%", source.written(owner)):
        return False  # one of so many, or in turn
    known = {field.name, *(_far(sheet, owner, field.name) if far else _derived(sheet, owner, field.name))}
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


def _far(sheet: Sheet, inside: Node, name: str) -> set[str]:
    """As `_derived`, through other local names, and objects that are given something with it by a method of theirs."""
    source, known = sheet.source, {name}
    while True:
        more = {found for one in known for found in _derived(sheet, inside, one)}
        for call in source.within(inside):
            target = call.child_by_field_name("object")
            declared = source.declaration(source.written(target), call) if target is not None and target.type == "identifier" else None
            local = declared is not None and declared.kind == "local"
            if local and any(_mentions(source.written(given), one) for given in source.arguments(call) for one in known):
                more.add(source.written(target))
        if more <= known:
            return known - {name}
        known |= more


def _mentions(text: str, name: str) -> bool:
    return re.search(rf"(?<![\w\"]){re.escape(name)}\b(?!\()", text) is not None
