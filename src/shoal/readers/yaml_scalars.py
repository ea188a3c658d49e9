"""Scalars as texts that know where each of their characters stands in the file, whatever their style."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

from shoal.lazy import pattern
from shoal.text import MASK, Text

if TYPE_CHECKING:
    from ruamel.yaml.nodes import Node, ScalarNode

_LINE_END = pattern("\r\n|[\n\r\x85]")


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
