"""Which ways lead out of a function."""

from __future__ import annotations

from typing import Any

import libcst as cst
import pytest

from shoal.python.flow import ALL, FALL, NORMAL, RAISE, RETURN, reraises
from tests.python.reading import module

EXITS = {
    "return 1": {RETURN},
    "pass": {FALL},
    "raise X": {RAISE},
    "if a:\n    return 1": {RETURN, FALL},
    "if a:\n    return 1\nelse:\n    return 2": {RETURN},
    "if a:\n    return 1\nelif b:\n    raise X\nelse:\n    pass": {RETURN, RAISE, FALL},
    "while True:\n    pass": set(),
    "while True:\n    break": {FALL},
    "while True:\n    if a:\n        return 1": {RETURN},
    "while a:\n    continue": {FALL},
    "for x in y:\n    return x": {RETURN, FALL},
    "for x in itertools.count():\n    pass": set(),
    "for x in itertools.count():\n    break": {FALL},
    "for x in y:\n    break\nelse:\n    return 1": {RETURN, FALL},
    "try:\n    return f()\nexcept E:\n    pass": {RETURN, FALL},
    "try:\n    return f()\nexcept E:\n    raise": {RETURN, RAISE},
    "try:\n    raise X\nexcept Exception:\n    return 1": {RETURN},
    "try:\n    return 1\nfinally:\n    g()": {RETURN},
    "try:\n    pass\nfinally:\n    return 1": {RETURN},
    "with a:\n    return 1": {RETURN},
    "match a:\n    case 1:\n        return 1": {RETURN, FALL},
    "match a:\n    case 1:\n        return 1\n    case _:\n        return 2": {RETURN},
    "import sys\nsys.exit(1)": {RAISE},
}


def function(body: str) -> tuple[Any, Any]:
    text = "async def f(a, b, y):\n" + "".join(f"    {line}\n" for line in body.splitlines())
    made = module(text)
    return made, made.functions[0]


@pytest.mark.parametrize(("body", "exits"), EXITS.items())
def test_ways_out(body: str, exits: set[int]) -> None:
    made, one = function(body)
    flow = made.flow(one)
    assert {way for way in ALL if flow.escapes(None, (), frozenset({way}))} == exits


@pytest.mark.parametrize(
    ("body", "missed"),
    [
        ("start()\nend()", False),
        ("start()\nif a:\n    end()", True),
        ("start()\nif a:\n    return\nend()", True),
        ("start()\ntry:\n    work()\nfinally:\n    end()", False),
        ("start()\ntry:\n    return work()\nfinally:\n    end()", False),
        ("start()\ntry:\n    work()\nexcept E:\n    return\nend()", True),
        ("while a:\n    start()\nend()", False),
        ("start()\nfor x in y:\n    end()", True),
        ("start()\nraise X\nend()", False),
    ],
)
def test_on_every_path_after(body: str, missed: bool) -> None:
    made, one = function(body)
    start = made.tree.statements[made.named("start")[0].spot.statement].node
    ends = [made.tree.statements[call.spot.statement].node for call in made.named("end")]
    assert made.flow(one).escapes(start, ends, NORMAL) is missed


def test_raises_of_inner_handlers() -> None:
    made, _ = function("try:\n    work()\nexcept Exception:\n    try:\n        mend()\n    except Exception:\n        raise")
    handler = next(statement.node for statement in made.tree.statements if isinstance(statement.node, cst.ExceptHandler))
    assert reraises(handler)
    assert not reraises(handler, inner=False)
