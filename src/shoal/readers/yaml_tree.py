"""YAML as nodes with exact offsets, through ruamel.yaml's C parser (5 times the speed of its pure one)."""

from __future__ import annotations

import gc
import re
from bisect import bisect_right
from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from ruamel.yaml.cyaml import CParser  # type: ignore[attr-defined, unused-ignore]
from ruamel.yaml.nodes import MappingNode, ScalarNode, SequenceNode
from ruamel.yaml.nodes import Node as Node

from shoal.model import Span
from shoal.text import MASK, Text

if TYPE_CHECKING:
    from shoal.facts import Block
    from shoal.readers import Reading
    from shoal.readers.template_branches import Branches

# libyaml's composer recurses in C and dies with SIGSEGV somewhere above 20,000 levels; nothing real comes near this.
MAX_DEPTH = 1000
# What anchors and merges may expand to, in nodes: an alias bomb has billions, the largest real file some thousands.
MAX_NODES = 200_000
MAX_LEAVES = 20_000
MAX_LEVELS = 50

_NOT_YAML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufffe\uffff\ud800-\udfff]")
_COLON = "\ue001"  # stands for a colon inside a plain word
_INNER_COLON = re.compile(r"""(![^\s,\[\]{}]*|^%[^\n]*|<tag:[^>]*>)|(?<=[^\s"'\[\]{},]):(?=[^\s,\[\]{}])""", re.MULTILINE)
_VERSION = re.compile(r"^%YAML 1\.\d", re.MULTILINE)
_LINE_END = re.compile("\r\n|[\n\r\x85]")
_INDENT = re.compile(r"(?m)^[ ]*(?:[-?] +)*")


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


class Item(NamedTuple):
    """One entry of a mapping. `merged` says that it came through `<<`."""

    key: str
    key_node: ScalarNode
    value: Node
    merged: bool = False

    @property
    def key_span(self) -> Span:
        return Span(self.key_node.start_mark.index, self.key_node.end_mark.index)


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
    parser = _Composer(text)
    nodes = []
    while parser.check_node():
        nodes.append(parser.get_node())
    return nodes


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


def documents(text: Text, out: Reading) -> list[Node]:
    """The documents of a file; errors become problems, except in templates, which are said to be left out."""
    roots, errors = compose(_settle(text.text) if out.templated else text.text)
    for error in errors:
        if "nested deeper" in error.message:
            out.problem("too-deep", error.message, text.at(error.offset), "shoal reads at most 1,000 levels")
        elif out.templated:
            out.left_out.append(_template_left_out(out, text.at(error.offset), error.message))
        else:
            out.problem("unparsable", f"not valid YAML: {error.message}", text.at(error.offset), "correct the syntax, or exclude the file")
    return roots


def _settle(text: str) -> str:
    """Move the comments that stand for template directives to the indentation of the line after them.

    Helm users write directives at column 0 inside block scalars; a comment there would end the scalar.
    """
    lines = text.split("\n")
    depth = 0
    for index in range(len(lines) - 1, -1, -1):
        line = lines[index]
        content = line.strip(" \r")
        if not content:
            continue
        if content[0] == "#" and content.strip(f"#{MASK} \t\r") == "" and MASK in content:
            width = len(line.rstrip("\r"))
            moved = " " * depth + "#" + MASK * (width - depth - 1) if width > depth else " " * width
            lines[index] = moved + line[width:]
        else:
            depth = len(line) - len(line.lstrip(" "))
    return "\n".join(lines)


def _template_left_out(out: Reading, offset: int, message: str) -> Any:
    from shoal.model import LeftOut

    return LeftOut(out.path, "template", f"line {out.lines.line(offset)}: {message}")


def is_mapping(node: Node | None) -> bool:
    return isinstance(node, MappingNode)


def is_sequence(node: Node | None) -> bool:
    return isinstance(node, SequenceNode)


def scalar(node: Node | None) -> str | None:
    """A scalar's value as text, None for anything else. Types are not resolved: `on`, `1` and `null` are those words."""
    return str(node.value) if isinstance(node, ScalarNode) else None


def is_null(node: Node | None) -> bool:
    return isinstance(node, ScalarNode) and node.style not in ("'", '"', "|", ">") and node.value in ("", "~", "null", "Null", "NULL")


def is_plain(node: Node | None) -> bool:
    return isinstance(node, ScalarNode) and not node.style


def span(node: Node) -> Span:
    """A node's span; a block scalar's or collection's trailing blank lines are not part of it."""
    return Span(node.start_mark.index, node.end_mark.index)


def items(node: Node | None) -> list[Item]:
    """Entries of a mapping in file order with duplicates, then those merged in through `<<` that are not overridden."""
    if not isinstance(node, MappingNode):
        return []
    own: list[Item] = []
    merged: list[Node] = []
    for key, value in node.value:
        if isinstance(key, ScalarNode):
            if key.value == "<<" and not key.style:
                merged += reversed(value.value) if isinstance(value, SequenceNode) else [value]
            else:
                own.append(Item(str(key.value), key, value))
    if merged:
        _merge(own, merged, {id(node)})
    return own


def _merge(own: list[Item], merged: list[Node], visited: set[int]) -> None:
    """Add what comes through `<<`; each mapping counts once, so that merges of merges cannot multiply."""
    seen = {item.key for item in own}
    while merged:
        source = merged.pop()
        if id(source) in visited or not isinstance(source, MappingNode):
            continue
        visited.add(id(source))
        for key, value in source.value:
            if isinstance(key, ScalarNode):
                if key.value == "<<" and not key.style:
                    merged += reversed(value.value) if isinstance(value, SequenceNode) else [value]
                elif key.value not in seen:
                    seen.add(key.value)
                    own.append(Item(str(key.value), key, value, True))


def get(node: Node | None, *path: str) -> Node | None:
    """The value at a path of keys (the last one wins, as in most parsers), or None."""
    for key in path:
        found = None
        for item in items(node):
            if item.key == key:
                found = item.value
        if found is None:
            return None
        node = found
    return node


def find(node: Node | None, *path: str) -> Item | None:
    """The entry at a path of keys, or None."""
    parent = get(node, *path[:-1]) if len(path) > 1 else node
    found = None
    for item in items(parent):
        if item.key == path[-1]:
            found = item
    return found


def elements(node: Node | None) -> list[Node]:
    """Elements of a sequence; none for anything else."""
    return list(node.value) if isinstance(node, SequenceNode) else []


def walk(roots: list[Node]) -> Iterator[tuple[tuple[str, ...], Item]]:
    """Every mapping entry below the roots with the keys that lead to it, each node once however often it is aliased."""
    seen: set[int] = set()
    stack: list[tuple[tuple[str, ...], Node]] = [((), root) for root in reversed(roots)]
    while stack:
        path, node = stack.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, MappingNode):
            entries = [Item(str(key.value), key, value) for key, value in node.value if isinstance(key, ScalarNode)]
            for entry in entries:
                yield path, entry
            stack += [((*path, entry.key), entry.value) for entry in reversed(entries) if not isinstance(entry.value, ScalarNode)]
        elif isinstance(node, SequenceNode):
            stack += [((*path, "*"), child) for child in reversed(node.value) if not isinstance(child, ScalarNode)]


def flatten(node: Node, prefix: str = "") -> Iterator[Item]:
    """Leaves of nested mappings with their keys joined by dots, in file order; sequences and scalars are leaves.

    Stops after MAX_LEAVES entries and does not look below MAX_LEVELS levels (anchors that hold themselves); `key_node` is the innermost key.
    """
    stack = [iter([(prefix, item) for item in items(node)])]
    count = 0
    while stack:
        step = next(stack[-1], None)
        if step is None:
            stack.pop()
            continue
        before, item = step
        count += 1
        if count > MAX_LEAVES:
            return
        key = f"{before}.{item.key}" if before else item.key
        if isinstance(item.value, MappingNode) and item.value.value:
            if len(stack) < MAX_LEVELS:
                stack.append(iter([(key, child) for child in items(item.value)]))
        else:
            yield item._replace(key=key)


def text_of(node: ScalarNode, source: str) -> Text:
    """A scalar's value as a `Text` over the file, whatever its style: plain, quoted, folded or literal."""
    value = str(node.value)
    start, end = node.start_mark.index, node.end_mark.index
    raw = source[start:end]
    if node.style == "|" or node.style == ">":
        header = _LINE_END.search(raw)
        body = start + header.end() if header else end
        if not value or header is None:
            return Text(value, [(0, start)])
        if node.style == "|" and "\u2028" not in value and "\u2029" not in value:
            return Text(value, _align_literal(value, source, body))
        return Text(value, _align(value, source, body, end))
    if node.style in ("'", '"'):
        start = source.index(node.style, start) if source[start] != node.style else start
        return Text(value, _align(value, source, start + 1, end - 1, node.style)) if value else Text("", [(0, start + 1)])
    at = raw.rfind(value)
    if at >= 0:
        return Text(value, [(0, start + at)])
    return Text(value, _align(value, source, start, end))


def _align_literal(value: str, source: str, start: int) -> list[tuple[int, int]]:
    """Pieces of a literal block scalar: its lines are the file's lines less one indentation."""
    lines = value.split("\n")
    bounds = []
    at = start
    for _ in lines:
        match = _LINE_END.search(source, at)
        stop, following = (match.start(), match.end()) if match else (len(source), len(source))
        bounds.append((at, stop))
        at = following
    indent = 0
    for line, (begin, stop) in zip(lines, bounds, strict=True):
        if line.strip():
            indent = stop - begin - len(line)
            break
    pieces = []
    inner = 0
    for line, (begin, stop) in zip(lines, bounds, strict=True):
        pieces.append((inner, max(begin, stop - len(line)) if line else min(begin + max(indent, 0), stop)))
        inner += len(line) + 1
    return pieces


def _align(value: str, source: str, start: int, end: int, quote: str = "") -> list[tuple[int, int]]:
    """Pieces that map each character of a scalar's value to the characters it was written as.

    Folding and indentation only ever drop or add white space, and escapes start with a backslash (or double a quote), so walking the two side by side is enough.
    """
    pieces = [(0, start)]
    outer = start
    step = 0
    for inner, char in enumerate(value):
        while outer < end and source[outer] != char and source[outer] in " \t\r\n" and not (char in " \n" and source[outer] in "\r\n"):
            outer += 1
        # an escaped line break: nothing, and the next line's indent goes
        if quote == '"' and source[outer : min(outer + 2, end)] in ("\\\n", "\\\r"):
            outer += 2
            while outer < end and source[outer] in " \t\r\n":
                outer += 1
        if outer - inner != step:
            step = outer - inner
            if pieces[-1][0] == inner:
                pieces.pop()
            pieces.append((inner, outer))
        if outer >= end:
            continue
        if quote == '"' and source[outer] == "\\":
            width = {"x": 4, "u": 6, "U": 10}.get(source[outer + 1 : outer + 2], 2)
            outer += width
        elif quote == "'" and source[outer] == "'":
            outer += 2
        elif char == " " and source[outer] in "\r\n":
            while outer < end and source[outer] in " \t\r\n":
                outer += 1
        elif char == "\n" and source[outer] == "\r":
            outer += 2
        else:
            outer += 1
    return pieces or [(0, start)]


def comment_after(node: Node, source: str) -> str:
    """The comment that follows a node on its last line, without `#`; empty when there is none."""
    end = node.end_mark.index
    line_end = source.find("\n", end)
    rest = source[end : line_end if line_end != -1 else len(source)]
    at = rest.find("#")
    return rest[at + 1 :].strip() if at != -1 and MASK not in rest[:at] and not rest[:at].strip() else ""


class TooMuch(Exception):
    """Anchors make more of a file than can be read."""


class Tree:
    """Nodes of one text, whose spans point into the file: the text may be a file, or a block scalar inside one."""

    __slots__ = ("_branches", "_spans", "out", "source", "text")

    def __init__(self, text: Text, out: Reading, within: Tree | None = None) -> None:
        self.text = text
        self.source = text.text
        self.out = out
        self._spans: list[int] = within._spans if within else [0]
        self._branches: Branches | None = within._branches if within else None

    def value(self, node: Node) -> Text:
        """A scalar's value as a text over the file."""
        return through(text_of(node, self.source), self.text) if isinstance(node, ScalarNode) else Text("", [(0, self.span(node).start)])

    def span(self, node: Node) -> Span:
        """What a node covers in the file; of a scalar only its value, without quotes, anchor and block header."""
        self._spans[0] += 1
        if self._spans[0] > MAX_NODES:
            raise TooMuch
        if isinstance(node, ScalarNode):
            start, end = node.start_mark.index, node.end_mark.index
            value = str(node.value)
            if node.style in ("'", '"') and self.source[start : start + 1] == node.style:
                return self.text.span(start + 1, end - 1)
            if self.source[start:end] == value:
                return self.text.span(start, end)
            inner = self.value(node)
            return inner.span(0, len(value.rstrip("\r\n")))
        return self.text.span(node.start_mark.index, node.end_mark.index)

    def key(self, item: Item) -> Span:
        return self.span(item.key_node)

    def comment(self, node: Node) -> str:
        return comment_after(node, self.source)

    def documents(self) -> list[Node]:
        return documents(self.text, self.out)

    def sureness(self, key: Span, block: Block) -> str:
        """`branch` when a template puts the key into its block on a condition, else nothing."""
        if not self.out.templated:
            return ""
        if self._branches is None:
            from shoal.readers.template_branches import Branches

            self._branches = Branches(self.out)
        return "branch" if self._branches.hold(key.start, block.place.span.start) else ""

    def shown(self, node: Node | None) -> str:
        """A scalar's text as it stands in the file where a template makes part of it; empty for anything else."""
        value = scalar(node) or ""
        if node is None or MASK not in value:
            return value
        span = self.span(node)
        return self.out.raw[span.start : span.end]

    def hidden(self, item: Item) -> bool:
        """Part of an entry is put in by a template (a loop, an include), so what it lacks may still be there."""
        if not self.out.templated:
            return False
        start, end = item.key_node.start_mark.index, item.value.end_mark.index
        if f"#{MASK}" in self.source[start:end]:
            return True
        # an include that is the whole value reads as nothing: the comment follows the key
        return is_null(item.value) and bool(_INCLUDED.match(self.source, item.key_node.end_mark.index))


_INCLUDED = re.compile(rf":[ \t\r]*\n[ ]*#{MASK}")


def through(inner: Text, outer: Text) -> Text:
    """`inner`, whose offsets point into the text of `outer`, pointed into the file that `outer` stands in."""
    if outer._inner == [0] and outer._outer == [0]:
        return inner
    pieces = []
    starts = [*inner._inner[1:], max(len(inner.text), inner._inner[-1])]
    for begin, at, stop in zip(inner._inner, inner._outer, starts, strict=True):
        pieces.append((begin, outer.at(at)))
        cuts = outer._inner[bisect_right(outer._inner, at) : bisect_right(outer._inner, at + stop - begin - 1)]
        pieces += [(begin + cut - at, outer.at(cut)) for cut in cuts]
    return Text(inner.text, pieces)
