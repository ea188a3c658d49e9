"""YAML text to nodes, through ruamel.yaml's C parser (5 times the speed of its pure one)."""

from __future__ import annotations

import gc
import re
from itertools import pairwise
from typing import Any

from ruamel.yaml.composer import ComposerError
from ruamel.yaml.cyaml import CParser  # type: ignore[attr-defined, unused-ignore]
from ruamel.yaml.nodes import MappingNode, ScalarNode
from ruamel.yaml.nodes import Node as Node

from shoal.lazy import pattern
from shoal.records import NamedTuple

# libyaml's composer recurses in C and dies with SIGSEGV somewhere above 20,000 levels; nothing real comes near this.
MAX_DEPTH = 1000

_NOT_YAML = pattern("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufffe\uffff\ud800-\udfff]")
_COLON = "\ue001"  # stands for a colon inside a plain word
_INNER_COLON = pattern(r"""(![^\s,\[\]{}]*|^%[^\n]*|<tag:[^>]*>)|(?<=[^\s"'\[\]{},]):(?=[^\s,\[\]{}])""", re.MULTILINE)
_VERSION = pattern(r"^%YAML 1\.\d", re.MULTILINE)
_INDENT = pattern(r"(?m)^[ ]*(?:[-?] +)*")


# An anchor, and how many of a name are looked for: each is another pass over the text.
_ANCHOR = pattern(r"&[^\s,\[\]{}]+")
_MOST_ANCHORS = 20


class _Composer(CParser):  # type: ignore[misc, unused-ignore]
    """The C parser composes nodes; tags are not resolved, since every format here has its own idea of types."""

    def descend_resolver(self, current_node: Any, current_index: Any) -> None:
        pass

    def ascend_resolver(self) -> None:
        pass

    def resolve(self, kind: Any, value: Any, implicit: Any) -> str:
        return ""


class YamlError(NamedTuple):
    message: str
    offset: int


def compose(text: str) -> tuple[list[Node], list[YamlError]]:
    """Every document of `text`. A document that does not parse yields an error; the others are still composed."""
    clean = _NOT_YAML.sub("\ufffd", text)
    if deep := _depth(clean):
        return [], [YamlError(f"nested deeper than {MAX_DEPTH} levels", deep)]
    enabled = gc.isenabled()
    gc.disable()  # doubles the speed: composing makes many objects and no garbage
    try:
        try:
            return _compose(clean), []
        except Exception as error:
            whole = YamlError(*_explain(error))
        parts = _split(clean)
        if len(parts) < 2:
            return [], [whole]
        documents: list[Node] = []
        errors: list[YamlError] = []
        for start, end in parts:
            try:
                # blanks in front keep the offsets those of the whole file
                documents += _compose(re.sub(r"[^\n]", " ", clean[:start]) + clean[start:end])
            except Exception as error:
                errors.append(YamlError(*_explain(error)))
        return documents, errors
    finally:
        if enabled:
            gc.enable()


def _compose(text: str) -> list[Node]:
    try:
        return _nodes(text)
    except Exception as error:
        if "unexpected ':'" not in str(error) and "incompatible YAML" not in str(error):
            raise
    # the bundled libyaml is old: it takes no `s3://x` unquoted inside [] or {}, and no %YAML 1.2
    veiled = _VERSION.sub("%YAML 1.1", _INNER_COLON.sub(lambda match: match.group(1) or _COLON, text))
    roots = _nodes(veiled)
    seen: set[int] = set()
    stack = list(roots)
    while stack:
        node = stack.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, ScalarNode):
            if _COLON in node.value:
                node.value = node.value.replace(_COLON, ":")
        elif isinstance(node, MappingNode):
            for key, value in node.value:
                stack += (key, value)
        else:
            stack += node.value
    return roots


def _nodes(text: str) -> list[Node]:
    """The documents of a text. An anchor may be given anew, which the parser does not know: aliases are then of the first one."""
    for left in range(_MOST_ANCHORS, -1, -1):
        parser = _Composer(text)
        nodes = []
        try:
            while parser.check_node():
                nodes.append(parser.get_node())
        except ComposerError as error:
            at = error.problem_mark.index if error.problem == "second occurrence" and error.problem_mark else -1
            again = _ANCHOR.match(text, at) if at >= 0 else None
            if again is None or not left:
                raise
            text = text[:at] + " " * len(again.group()) + text[again.end() :]
        else:
            return nodes
    return []


def _explain(error: Exception) -> tuple[str, int]:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    message = getattr(error, "problem", None) or getattr(error, "reason", None) or str(error)
    return str(message), mark.index if mark else getattr(error, "position", 0) or 0


def _split(text: str) -> list[tuple[int, int]]:
    cuts = [match.start() for match in re.finditer(r"(?m)^---(?=\s|$)", text)]
    edges = sorted({0, *cuts, len(text)})
    return [(a, b) for a, b in pairwise(edges) if text[a:b].strip("- \r\n\t")]


def _depth(text: str) -> int:
    """Offset where nesting may pass MAX_DEPTH, or 0. Over-counts (brackets in strings), never under-counts."""
    if text.count("[") + text.count("{") > MAX_DEPTH:
        level = 0
        for match in re.finditer(r"[\[\]{}]", text):
            level = level + 1 if match.group() in "[{" else max(0, level - 1)
            if level > MAX_DEPTH:
                return match.start()
    longest = max((match.end() - match.start() for match in _INDENT.finditer(text)), default=0)
    if longest > MAX_DEPTH:
        for match in _INDENT.finditer(text):
            if match.end() - match.start() > MAX_DEPTH:
                return match.end()
    return 0
