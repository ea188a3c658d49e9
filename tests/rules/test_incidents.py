"""What a configuration shows of the incidents I2 and I5 is found in the examples, each by its rule."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from shoal import rulebook
from shoal.classify import classify
from shoal.core import check_source, conclude
from shoal.model import Source
from shoal.settings import Settings

EXAMPLES = Path(__file__).parents[2] / "examples" / "incidents"
INCIDENTS = ("i2-broker-scale-down", "i5-beam-restored-twice")


def found(folder: Path) -> set[tuple[str, str]]:
    """(rule, path) of every finding in a folder."""
    rules = rulebook.load()
    paths = sorted(path for path in folder.rglob("*") if path.is_file() and classify(str(path)))
    results = [
        check_source(Source(str(path.relative_to(folder)), classify(str(path)), path.read_bytes()), rules, Settings()) for path in paths
    ]
    findings, problems = conclude(results, rules, Settings(), {str(path.relative_to(folder)): path.read_text() for path in paths})
    assert problems == []
    return {(finding.rule, finding.primary.path) for finding in findings}


@pytest.mark.parametrize("name", INCIDENTS)
def test_every_row_of_the_page_is_found(name: str) -> None:
    page = (EXAMPLES / name / "README.md").read_text()
    rows = [(places, rule) for places, rule in re.findall(r"(?m)^\| [^|]+ \| ([^|]+) \| ([\w-]+) \|$", page) if rule != "rule"]
    wanted = {(rule, path) for places, rule in rows for path in re.findall(r"`([^`]+)`", places)}
    assert len(rows) >= 4
    assert wanted - found(EXAMPLES / name) == set()


def test_the_relation_names_all_three_settings() -> None:
    folder = EXAMPLES / "i2-broker-scale-down"
    text = (folder / "sql" / "clickstream.sql").read_text()
    rules = rulebook.load().only(lambda rule: rule.id == "api-timeout-too-small-for-brokers")
    findings, _ = conclude([check_source(Source("clickstream.sql", "sql", text.encode()), rules, Settings())], rules, Settings(), {})
    (finding,) = findings
    shown = [text[place.span.start : place.span.end] for place in finding.places if place.role != "covers"]
    assert shown[:2] == ["60000", "30000"]
    assert shown[2].count(",") == 11
    assert "12 bootstrap brokers" in finding.message and "6 min" in finding.message
