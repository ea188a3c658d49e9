"""A module put together of statements that were parsed before is the module that was parsed whole."""

from __future__ import annotations

import re
from pathlib import Path

import libcst as cst
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from shoal import rulebook_build
from shoal.core import check_source
from shoal.model import Source
from shoal.python import guard, pieces
from shoal.rulebook import built_in_folder, from_json
from shoal.settings import Settings

ROOT = Path(__file__).parents[2]
RULES = from_json(rulebook_build.build(built_in_folder()), built_in_folder())
LINES = (
    "# a comment",
    "",
    "x = 1; y = 2",
    "@decorated",
    "def f(a):",
    "    return a",
    "    # indented",
    "  # less",
    "class C:",
    '    """Text',
    "  over lines",
    '    """',
    "    if x:",
    "\tz = 3",
    "        y = (1,",
    "try:",
    "    pass",
    "except E:",
    "else:",
    "elif x:",
    "if x:",
    "x = [",
    "]",
    "s = f'{x} 😀'",
    "async def g(): await f(1)",
    "x = 1 \\",
    "match x:",
    "    case 1: pass",
)


def same(found: cst.Module, source: str) -> None:
    whole = cst.parse_module(source)
    assert [whole.code_for_node(one) for one in found.body] == [whole.code_for_node(one) for one in whole.body]
    assert all(one.deep_equals(other) for one, other in zip(found.body, whole.body, strict=True))
    nodes = [id(node) for node in found.body]
    assert len(set(nodes)) == len(nodes)


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pieces, "_FEWEST", 0)


@settings(max_examples=300, deadline=None)
@example([["x = 1", "    # indented", "x = 1"]])
@example([["# a comment", "x = 1", "x = 1"], ["x = 1", "# a comment", "x = 1"]])
@given(st.lists(st.lists(st.sampled_from(LINES), max_size=25), min_size=1, max_size=3))
def test_any_text(texts: list[list[str]]) -> None:
    one = pieces.Pieces()
    for lines in texts:
        source = "\n".join(lines)
        outline = guard.outline(source)
        if isinstance(outline, guard.Refusal):
            continue
        try:
            found = one.parse("x.py", source, outline.tops)
        except Exception:  # it is parsed whole then
            continue
        if found is not None:
            same(found, source)


def test_only_what_changed_is_parsed_again_and_twins_are_two() -> None:
    one = pieces.Pieces()
    source = "import pyflink\n\n\ndef f():\n    return 1\n\n\nx = f()\nx = f()\n"

    def parse(text: str) -> cst.Module:
        outline = guard.outline(text)
        assert isinstance(outline, guard.Outline)
        found = one.parse("x.py", text, outline.tops)
        assert found is not None
        same(found, text)
        return found

    first, second = parse(source), parse(source.replace("1", "2"))
    assert [a is b for a, b in zip(first.body, second.body, strict=True)] == [True, False, True, True]
    assert first.body[2] is not first.body[3]


@pytest.mark.slow
def test_the_same_is_found_in_the_examples_of_all_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pieces, "kept", None)
    examples = [
        text
        for page in sorted(ROOT.glob("rules/*/*/rule.md"))
        for text in re.findall(r"(?ms)^```python[^\n]*\n(.*?)^```", page.read_text(encoding="utf-8"))
    ]
    assert len(examples) > 100
    whole = [check_source(Source("job.py", "python", text.encode()), RULES, Settings()) for text in examples]
    pieces.keep()
    for text, result in zip(examples, whole, strict=True):
        for again in (text, text + "\n\nlast = 1\n", text):  # remembered, edited, and back
            found = check_source(Source("job.py", "python", again.encode()), RULES, Settings())
        assert found == result, text
