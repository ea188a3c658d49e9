"""Keyed state in Java that a method takes for granted, while it is null for each key until something writes it."""

from __future__ import annotations

import re

from tree_sitter import Node

from shoal.java.functions import METHODS, OPERATOR, kinds_of, own_nodes, tries_around
from shoal.java.sheet import Sheet
from shoal.java.state import state_name
from shoal.lazy import pattern
from shoal.python.values import names

# State with one value, and what reads it; their descriptors take a default as a third argument, or a function in its place.
_READS = {"ValueStateDescriptor": "value", "ReducingStateDescriptor": "get"}
_ARGUMENTS = {"ValueStateDescriptor": 2, "ReducingStateDescriptor": 3}
_PER_RECORD = METHODS - names("onTimer write flush processBroadcastElement")  # a timer is only there once something came
_NUMBERS = pattern(r"<\s*(?:java\.lang\.)?(?:Integer|Long|Double|Float|Short|Byte|Boolean)\s*>")
_PRIMITIVE = ("integral_type", "floating_point_type", "boolean_type")
_CATCHES = pattern(r"\b(?:Exception|RuntimeException|NullPointerException|Throwable)\b")
_TWO_INPUTS = pattern(r"\w*Co(?:Process|Map|FlatMap)Function")


def collect(sheet: Sheet) -> None:
    source = sheet.source
    for made in source.news:
        kind = source.type_of(made)
        if kind not in _READS or len(source.arguments(made)) != _ARGUMENTS[kind]:
            continue
        owner, name = source.class_of(made), state_name(sheet, made)
        if owner is None or not name or name in source.handed:
            continue
        kinds = kinds_of(sheet, made)
        if not any(map(OPERATOR.fullmatch, kinds)) or not any("Process" in one or one.startswith("Rich") for one in kinds):
            continue
        numbers = any(
            one.kind == "field" and source.class_of(one.node) == owner and _NUMBERS.search(source.written(_type_of(one.node)))
            for one in source.fields()
            if one.name == name
        )
        for method in source.methods:
            body = method.child_by_field_name("body")
            if body is not None and source.name(method) in _PER_RECORD and source.class_of(method) == owner:
                used = _used(sheet, body, name, _READS[kind], numbers)
                if used is not None:
                    two = any(map(_TWO_INPUTS.fullmatch, kinds))
                    sheet.out.oddity("state-taken-for-granted", source.name(method), source.span(used), "other" if two else "")


def _used(sheet: Sheet, body: Node, state: str, read: str, numbers: bool) -> Node | None:
    """The first use of a state's value that every record comes to, where nothing before it wrote the state or asked whether there is a value."""
    source = sheet.source
    for call in source.within(body):
        owner = call.child_by_field_name("object")
        if source.name(call) != read or owner is None or source.written(owner).removeprefix("this.") != state or source.arguments(call):
            continue
        if not _always(sheet, call, body) or _touched(sheet, body, call, state):
            return None
        if _dereferenced(call, numbers):
            return call
        holder = call.parent
        if holder is None or holder.type != "variable_declarator" or holder.parent is None:
            return None
        if holder.parent.child_by_field_name("type").type in _PRIMITIVE:  # type: ignore[union-attr]
            return call
        return _of_local(sheet, body, holder, numbers)
    return None


def _of_local(sheet: Sheet, body: Node, holder: Node, numbers: bool) -> Node | None:
    """The first use of a local that holds a value, where that uses it without a look, and is one that every record comes to."""
    source = sheet.source
    name = source.written(holder.child_by_field_name("name"))
    first = next(
        (node for node in _names_in(body) if node.start_byte >= holder.end_byte and source.written(node) == name and not _a_field(node)),
        None,
    )
    plain = first is not None and _dereferenced(first, numbers) and _always(sheet, first, body)
    return first if plain and first is not None and not _left_before(holder, first, body) else None


def _names_in(body: Node) -> list[Node]:
    found, waiting = [], [body]
    while waiting:
        node = waiting.pop()
        if node.type == "identifier":
            found.append(node)
        waiting += node.named_children
    return sorted(found, key=lambda node: node.start_byte)


def _a_field(node: Node) -> bool:
    """Whether a name is that of a method or of another object's field."""
    parent = node.parent
    return parent is not None and parent.type in ("method_invocation", "field_access") and parent.child_by_field_name("object") != node


def _dereferenced(node: Node, numbers: bool) -> bool:
    """Whether what stands here must not be null: it is asked for something, or is a number that is reckoned with."""
    parent = node.parent
    if parent is None:
        return False
    if parent.type in ("method_invocation", "field_access"):
        return parent.child_by_field_name("object") == node
    if not numbers:
        return False
    if parent.type == "binary_expression":
        sign = parent.child_by_field_name("operator").type  # type: ignore[union-attr]
        return sign in ("-", "*", "/", "%", "<", ">", "<=", ">=") or (sign == "+" and not _text(parent))
    return parent.type in ("unary_expression", "update_expression")


def _text(node: Node) -> bool:
    """Whether a sum is put together to a text, which takes null as well: `"key " + id + ": " + value`."""
    return "string" in node.type or (node.type == "binary_expression" and any(map(_text, node.named_children)))


def _always(sheet: Sheet, node: Node, body: Node) -> bool:
    """Whether every record comes to a node: nothing around it asks or catches, and nothing before it leaves."""
    at = node
    while at != body and at.parent is not None:
        parent = at.parent
        asked = parent.child_by_field_name("condition") == at and parent.type != "for_statement"
        if parent.type == "enhanced_for_statement":
            asked = parent.child_by_field_name("value") == at
        elif parent.type in _STRAIGHT:
            operator = parent.child_by_field_name("operator")
            asked = operator is None or operator.type not in ("&&", "||") or parent.child_by_field_name("left") == at
        if not asked:
            return False
        at = parent
    caught = (clause for attempt in tries_around(node, body) for clause in attempt.children if clause.type == "catch_clause")
    return not any(_CATCHES.search(sheet.source.written(clause.named_children[0])) for clause in caught)


# What a value may stand in without a condition.
_STRAIGHT = frozenset(
    {
        *(
            "block",
            "expression_statement",
            "local_variable_declaration",
            "variable_declarator",
            "assignment_expression",
            "return_statement",
        ),
        *("method_invocation", "argument_list", "field_access", "parenthesized_expression", "cast_expression", "binary_expression"),
        *("unary_expression", "update_expression", "object_creation_expression", "try_statement", "try_with_resources_statement"),
    }
)


def _touched(sheet: Sheet, body: Node, read: Node, state: str) -> bool:
    """Whether anything before a read may have written the state, asked for its value, or left the method."""
    source = sheet.source
    before = source.text[body.start_byte : read.start_byte]
    if re.search(rf"\b{re.escape(state)}\b", before) or any(
        node.start_byte < read.start_byte for node in own_nodes(body, "return_statement")
    ):
        return True
    for call in source.within(body):
        method = source.method_called(call) if call.start_byte < read.start_byte else None
        if method is not None and re.search(rf"\b{re.escape(state)}\b", source.written(method)):
            return True
    return re.search(rf"\b{re.escape(state)}\s*\.\s*\w+\(\s*\)\s*[!=]=\s*null", source.written(body)) is not None


def _left_before(holder: Node, used: Node, body: Node) -> bool:
    return any(holder.end_byte <= node.start_byte < used.start_byte for node in own_nodes(body, "return_statement"))


def _type_of(declarator: Node) -> Node | None:
    return declarator.parent.child_by_field_name("type") if declarator.parent is not None else None
