"""Reading Python texts in tests, through the reader that every host uses."""

from __future__ import annotations

from textwrap import dedent
from typing import Any

from shoal.facts import Block, Setting, Unknown
from shoal.model import Source
from shoal.readers import Reading, read


def reading(text: str, path: str = "job.py") -> Reading:
    kind = "notebook" if path.endswith(".ipynb") else "python"
    return read(Source(path, kind, text.encode()))[0]


def module(text: str, imports: str = "import pyflink, os") -> Any:
    """The model of a text; `imports` gets it past the gate."""
    out = reading(f"{imports}\n{dedent(text)}")
    assert not out.problems, out.problems
    assert out.module is not None
    return out.module


def settings(out: Reading, role: str = "") -> dict[str, str]:
    """key -> value of the blocks of a role; an unknown value shows as `?`, one that is not sure carries a mark."""
    wanted = {fact.id for fact in out.facts if isinstance(fact, Block) and (not role or fact.role == role)}
    marks = {"sure": "", "default": " (default)", "branch": " (branch)"}
    return {
        fact.key: ("?" if isinstance(fact.value, Unknown) else fact.value) + marks[fact.sure]
        for fact in out.facts
        if isinstance(fact, Setting) and fact.block in wanted
    }


def blocks(out: Reading) -> list[tuple[str, str]]:
    return [(fact.engine, fact.role) for fact in out.facts if isinstance(fact, Block)]


def shown(out: Reading, setting_key: str) -> str:
    """What stands in the file where a setting's value is."""
    setting = next(fact for fact in out.facts if isinstance(fact, Setting) and fact.key == setting_key)
    return out.raw[setting.value_span.start : setting.value_span.end]
