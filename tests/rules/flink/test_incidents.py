"""The READMEs of the incident examples say which rule finds which cause where; that is so."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from shoal import rulebook
from shoal.classify import classify
from shoal.core import check_source, conclude
from shoal.model import Source
from shoal.settings import Settings

INCIDENTS = Path(__file__).parents[3] / "examples" / "incidents"
RULEBOOK = rulebook.load()
ROW = re.compile(r"^\|[^|]+\|([^|]+)\|([^|]+)\|$", re.MULTILINE)


def promised(folder: Path) -> set[tuple[str, str]]:
    """(file, rule) for every row of the README's table that names files."""
    rows = ROW.findall((folder / "README.md").read_text(encoding="utf-8"))
    return {
        (path, rule.strip())
        for where, rules in rows
        for path in re.findall(r"`([^`]+)`", where)
        if (folder / path).is_file()
        for rule in rules.split(",")
    }


def found(folder: Path, rules: set[str]) -> set[tuple[str, str]]:
    book = RULEBOOK.only(lambda rule: rule.id in rules)
    results, texts = [], {}
    for path in sorted(folder.rglob("*")):
        kind = classify(path.name) if path.is_file() else ""
        if kind:
            name = path.relative_to(folder).as_posix()
            texts[name] = path.read_text(encoding="utf-8")
            results.append(check_source(Source(name, kind, path.read_bytes()), book, Settings()))
    findings, problems = conclude(results, book, Settings(), texts)
    assert problems == []
    return {(finding.primary.path, finding.rule) for finding in findings}


@pytest.mark.parametrize("name", ["i1-nothing-consumed", "i3-sink-blocks", "i4-jobmanager-restart"])
def test_every_cause_is_found(name: str) -> None:
    folder = INCIDENTS / name
    wanted = promised(folder)
    assert wanted
    assert wanted - found(folder, {rule for _, rule in wanted}) == set()
