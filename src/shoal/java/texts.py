"""Texts that Java puts together, character by character with where each stands; what is unknown in them is masked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tree_sitter import Node

from shoal.lazy import pattern
from shoal.python.values import Known
from shoal.text import MASK

if TYPE_CHECKING:
    from shoal.java.source import Source

_PRINTF = pattern(r"%%|%n|%(?:\d+\$)?[-#+ 0,(]*\d*(?:\.\d+)?[a-zA-Z]")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "s": " ", "0": "\0"}


def parts(source: Source, node: Node | None, level: int) -> list[tuple[str, int]] | None:
    """The pieces of the text that an expression makes, each with where it stands; None where it is none that is known."""
    if node is None or level > 400:
        return None
    if node.type == "string_literal":
        return literal(source, node)
    if node.type == "parenthesized_expression" and node.named_children:
        return parts(source, node.named_children[0], level + 1)
    if node.type == "binary_expression" and source.written(node.child_by_field_name("operator")) == "+":
        sides = [node.child_by_field_name(name) for name in ("left", "right")]
        return [part for side in sides if side is not None for part in parts(source, side, level + 1) or _hole(source, side)]
    if node.type in ("identifier", "field_access") and (declared := source.declared_by(node)) is not None:
        inner = source.given(declared)
        return parts(source, inner, level + 1) if inner is not None else None
    if node.type == "method_invocation":
        owner, given = node.child_by_field_name("object"), source.arguments(node)
        if source.name(node) == "format" and source.written(owner) == "String" and given:
            return _formatted(parts(source, given[0], level + 1))
        if source.name(node) == "formatted" and owner is not None:
            return _formatted(parts(source, owner, level + 1))
        if source.name(node) == "join" and source.written(owner) == "String" and given:
            between = parts(source, given[0], level + 1)
            found: list[tuple[str, int]] = []
            for number, part in enumerate(given[1:]):
                found += [*((between or []) if number else []), *(parts(source, part, level + 1) or _hole(source, part))]
            return found or None
        if source.name(node) in ("stripIndent", "trim", "strip", "toString") and owner is not None:
            return parts(source, owner, level + 1)
        own = source.method_called(node)
        if own is not None:
            return parts(source, source.returned(own), level + 100)
    value = source.value(node)
    if isinstance(value, Known) and isinstance(value.value, (str, int)) and not isinstance(value.value, bool):
        return [(char, node.start_byte) for char in str(value.value)]
    return None


def _hole(source: Source, node: Node) -> list[tuple[str, int]]:
    return [(MASK * max(1, node.end_byte - node.start_byte), node.start_byte)]


def _formatted(parts: list[tuple[str, int]] | None) -> list[tuple[str, int]] | None:
    if parts is None:
        return None
    return [
        (_PRINTF.sub(lambda match: "%" * len(match.group()) if match.group() == "%%" else MASK * len(match.group()), part), at)
        for part, at in parts
    ]


def literal(source: Source, node: Node) -> list[tuple[str, int]]:
    """A literal's characters with where they stand; escapes by themselves."""
    found: list[tuple[str, int]] = []
    span = source.body(node)
    at = span.start
    for child in [*node.children, None]:
        if child is not None and child.type != "escape_sequence":
            continue
        stop = child.start_byte if child is not None else span.end
        if stop > at:
            found.append((source.text[at:stop], at))
        if child is not None:
            found.append((_unescaped(source.written(child)), child.start_byte))
            at = child.end_byte
    return found if source.written(node) not in ('""', '""""""') else []


def _unescaped(text: str) -> str:
    if text[1:2] == "u":
        return chr(int(text.lstrip("\\u"), 16))
    if text[1:2].isdigit():
        return chr(int(text[1:], 8))
    return "" if text[1:2] in ("\n", "\r") else _ESCAPES.get(text[1:2], text[1:])
