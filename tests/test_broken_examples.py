"""Whatever is done to configuration, manifests, SQL, Java and scripts, reading them ends with facts or a problem: no reader and no rule fails."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from shoal.core import conclude
from shoal.settings import Settings
from tests.test_rule_examples import ALL, CASES, RULEBOOK, looked_at

# Python alone is garbled in tests/python/test_broken_files.py.
PROJECTS = [{example.path: example.text} for example in ALL if not example.path.endswith(".py")] + [
    {
        path.relative_to(case).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted(case.rglob("*"))
        if path.is_file() and path.parent.name != "__pycache__"
    }
    for _, case in CASES
]
OTHERS: dict[str, list[str]] = {}
for project in PROJECTS:
    for name, content in project.items():
        OTHERS.setdefault(Path(name).suffix or name, []).append(content)
ODD = ("0", "-1", "1e400", "null", "''", "{}", "[]", "${X}", "${X:-1}", "{{ x }}", "&a b", "*a", "!x y", "9" * 30, "~", "0x", "-", "'", '"')
ODD += ("\u0660", "\u00b2", "inf", "NaN", "1 day", "-5ms", "a: b", "|\n x", "?", "%", "$(x)", "2024-13-45", "\\ud800")
SIGNS = ("", *"(){}[]:,\"'#\n\t\\-*&|;$<>")
EXPECTED = {"unparsable", "too-deep", "too-large"}


def garbled(chance: random.Random, name: str, text: str) -> str:
    lines = text.splitlines(keepends=True)
    names = re.findall(r"[A-Za-z_][\w.-]*", text)
    at = chance.randrange(len(lines) + 1)
    how = chance.randrange(8)
    if how == 0:
        return text[: chance.randrange(len(text) + 1)]
    if how == 1:
        return "".join([*lines[:at], chance.choice(OTHERS[Path(name).suffix or name]), *lines[at:]])
    if how == 2 and names:
        return re.sub(rf"(?<![\w.-]){re.escape(chance.choice(names))}(?![\w.-])", chance.choice(names), text)
    if how == 3:
        return "".join(line for line in lines if chance.random() > 0.15)
    if how == 4:  # other indentation
        return "".join(line[chance.randrange(3) :] if chance.random() < 0.1 else " " * chance.randrange(2) + line for line in lines)
    if how == 5:
        return "".join(sign if chance.random() > 0.01 else chance.choice(SIGNS) for sign in text)
    if how == 6:
        return "".join(chance.sample(lines, len(lines)))
    values = r"(?m)(?<=[:=])[ ]*[^\s:=]+[ ]*$|\b\d+\w*\b|'[^'\n]*'|\"[^\"\n]*\""
    return re.sub(values, lambda found: f" {chance.choice(ODD)}" if chance.random() < 0.2 else found.group(), text)


@pytest.mark.parametrize("seed", range(40))
def test_examples_of_every_format_cut_mixed_and_garbled(seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(25):
        texts = dict(chance.choice(PROJECTS))
        for name in chance.sample(sorted(texts), chance.randint(1, len(texts))):
            texts[name] = garbled(chance, name, texts[name])
        _, problems = conclude(looked_at(texts, RULEBOOK, Settings()), RULEBOOK, Settings(), texts)
        assert {problem.kind for problem in problems} <= EXPECTED, texts
