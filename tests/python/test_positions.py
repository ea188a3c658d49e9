"""Spans are those of LibCST's own PositionProvider, at a fraction of its cost."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import hypothesmith
import libcst as cst
import pytest
from hypothesis import HealthCheck, given, settings
from libcst.metadata import MetadataWrapper, PositionProvider

from shoal.model import Span
from shoal.python import guard
from shoal.python.positions import Positions
from shoal.python.tree import Call
from shoal.python.walk import walk

TEXTS = {
    "tabs": "if x:\n\tf(a,\tb)\n\tg(\n\t\tc\n\t)\n",
    "several bytes": "s = 'größe 価格 🚀'; f('ä', s).g(1)\nh('é',\n  'ü')\n",
    "crlf": "def f():\r\n    g(1,\r\n      2)\r\n    return h('''a\r\nb''')\r\n",
    "lone cr": "f(1)\rg(2)\r",
    "continuation": "x = f(1) + \\\n    g(2) \\\n    .h(3)\n",
    "decorators": "@a(1)\n# comment\n@b.c(\n    2,\n)\nclass D(e(3), metaclass=f(4)):\n    @g(5)\n    async def h(self, x=i(6)) -> j(7):\n        await k(8)\n",
    "elif": "if a(1):\n    b(2)\nelif c(3):\n    d(4)\nelif e(5): f(6)\nelse:\n    g(7)\n",
    "try": "try:\n    a(1)\nexcept b(2) as e:\n    c(3)\nexcept (d(4), f):\n    raise g(5)\nelse:\n    h(6)\nfinally:\n    i(7)\n",
    "match": "match a(1):\n    case {'x': y} if b(2):\n        c(3)\n    case _:\n        d(4)\n",
    "semicolons": "a(1); b(2);  c(3)\nif x: d(4); e(5)\n",
    "parentheses": "((a))(1); (b(2))\nx = (\n    # comment\n    c(3)  # more\n    .d(4)\n)\n",
    "no newline at the end": "def f():\n  g(1)",
    "comments first": "# -*- coding: utf-8 -*-\n# more\n\n\nf(1)  # here\n",
    "with": "async def f():\n    async with a(1) as b, c(2):\n        async for x in d(3):\n            e(x)\n",
    "indent of its own": "def f():\n  if x:\n        g(1)\n        h(\n  2)\n  return i(3)\n",
    "f-strings": 'f"{a(1)} {b(2)!r:>{c(3)}}".d(4)\n',
    "lambda": "x = lambda a=f(1): g(2)\ny = [h(z) for z in i(3) if j(4)]\n",
}


def calls_with_spans(text: str) -> Iterator[tuple[Span, Span]]:
    outline = guard.outline(text)
    if isinstance(outline, guard.Refusal):
        return
    wrapper = MetadataWrapper(cst.parse_module(text), unsafe_skip_copy=True)
    tree = walk(wrapper.module)
    assert len(outline.starts) == len(tree.statements)
    positions = Positions(tree, text, outline.starts)
    expected = wrapper.resolve(PositionProvider)
    starts = line_starts(text)

    def offset(position: Any) -> int:
        return starts[position.line - 1] + position.column

    for call in tree.calls:
        for node in (call.node, call.node.func, *(arg.value for arg in call.node.args)):
            wanted = expected[node]
            yield positions.span(node, call.spot.statement), Span(offset(wanted.start), offset(wanted.end))


def line_starts(text: str) -> list[int]:
    starts = [0]
    for index, char in enumerate(text):
        if char == "\n" or (char == "\r" and text[index + 1 : index + 2] != "\n"):
            starts.append(index + 1)
    return starts


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS.keys())
def test_spans_are_exact(text: str) -> None:
    pairs = list(calls_with_spans(text))
    assert pairs
    for got, wanted in pairs:
        assert got == wanted, (text[got.start : got.end], text[wanted.start : wanted.end])


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS.keys())
def test_every_statement_has_its_start(text: str) -> None:
    outline = guard.outline(text)
    assert not isinstance(outline, guard.Refusal)
    tree: Any = walk(cst.parse_module(text))
    positions = Positions(tree, text, outline.starts)
    for index, call in enumerate(tree.calls, 1):
        span = positions.span(call.node, call.spot.statement)
        assert text[span.start : span.end].endswith(")")
        assert str(index) or isinstance(call, Call)


@pytest.mark.slow
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(hypothesmith.from_grammar())
def test_spans_of_generated_code(text: str) -> None:
    try:
        cst.parse_module(text)
    except Exception:
        return
    for got, wanted in calls_with_spans(text):
        assert got == wanted


def test_form_feeds_are_counted() -> None:
    """LibCST leaves a form feed before a statement out of its positions."""
    text = "\x0cf(1)\n\x0c\ndef g():\n\x0c    h(2)\n"
    shown = [text[got.start : got.end] for got, _ in calls_with_spans(text)]
    assert shown == ["f(1)", "f", "1", "h(2)", "h", "2"]
