"""The baseline: what is known does not count, what is new does, and it only shrinks."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from shoal.baseline import Entry, Update, mark, update
from shoal.model import Finding, Place, Span
from tests.host.conftest import BAD, GOOD, RULE, Shoal, write

SETTINGS = f'select = ["{RULE}"]\nbaseline = ".shoal-baseline.json"\n'


@pytest.fixture
def tree(tmp_path: Path, shoal: Shoal) -> Path:
    write(tmp_path, {"a/config.yaml": BAD, "b/config.yaml": BAD, "shoal.toml": f'select = ["{RULE}"]\n'})
    done = shoal("baseline")
    assert done.code == 0 and "2 findings accepted" in done.out
    write(tmp_path, {"shoal.toml": SETTINGS})
    return tmp_path


def entries(tree: Path) -> list[str]:
    return [entry["path"] for entry in json.loads((tree / ".shoal-baseline.json").read_text())["findings"]]


def test_known_findings_do_not_count_even_when_lines_move(shoal: Shoal, tree: Path) -> None:
    write(tree, {"a/config.yaml": "# a new first line\n" + BAD})
    done = shoal("check", "--format", "json")
    assert done.code == 0 and [finding["status"] for finding in done.report["findings"]] == ["baselined"] * 2


def test_new_findings_count(shoal: Shoal, tree: Path) -> None:
    write(tree, {"c/config.yaml": BAD})
    done = shoal("check", "--format", "json")
    assert done.code == 1 and [f["places"][0]["path"] for f in done.report["findings"] if f["status"] == "open"] == ["c/config.yaml"]


def test_it_shrinks_and_grows_only_when_told(shoal: Shoal, tree: Path) -> None:
    write(tree, {"a/config.yaml": GOOD, "c/config.yaml": BAD})
    done = shoal("baseline")
    assert done.code == 0 and "1 finding; 1 gone, 1 new and not accepted" in done.out
    assert entries(tree) == ["b/config.yaml"]
    assert shoal("check").code == 1
    write(tree, {"a/config.yaml": BAD})
    assert shoal("check", "a").code == 1, "what was fixed does not come back unseen"
    assert shoal("baseline", "--add").code == 0
    assert entries(tree) == ["a/config.yaml", "b/config.yaml", "c/config.yaml"] and shoal("check").code == 0


def test_a_run_over_some_files_keeps_what_it_did_not_look_at(shoal: Shoal, tree: Path) -> None:
    write(tree, {"a/config.yaml": GOOD})
    assert shoal("baseline", "a").code == 0
    assert entries(tree) == ["b/config.yaml"]
    (tree / "b/config.yaml").unlink()
    assert shoal("baseline", "a").code == 0
    assert entries(tree) == []


def test_it_is_left_as_it_is_when_something_could_not_be_checked(shoal: Shoal, tree: Path) -> None:
    before = (tree / ".shoal-baseline.json").read_bytes()
    write(tree, {"a/config.yaml": b"\xff flink: [\n"})
    assert shoal("baseline").code == 2
    assert (tree / ".shoal-baseline.json").read_bytes() == before


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        '{"version": 2, "findings": []}',
        '{"version": 1, "findings": [{"fingerprint": "x"}]}',
        '{"version": 1, "findings": [{"fingerprint": "x", "rule": "r", "path": "p", "count": -1}]}',
    ],
)
def test_a_broken_baseline_is_a_problem(shoal: Shoal, tree: Path, text: str) -> None:
    write(tree, {".shoal-baseline.json": text})
    assert shoal("check").code == 2
    assert shoal("baseline").code == 2
    assert (tree / ".shoal-baseline.json").read_text() == text


def test_a_missing_baseline_is_a_problem(shoal: Shoal, tree: Path) -> None:
    done = shoal("check", "--baseline", "gone.json")
    assert done.code == 2 and "`shoal baseline` writes one" in done.out


def test_counts_are_used_up() -> None:
    one = Finding("rule", "message", (Place("a.yaml", Span(0, 1)),), "error", "high", fingerprint="f")
    book = {"f": Entry("rule", "a.yaml", 2)}
    assert [finding.status.state for finding in mark([one] * 3, book, "baseline")] == ["baselined", "baselined", "open"]
    assert update(book, [one], {"a.yaml"}, {"a.yaml"}, False) == Update({"f": Entry("rule", "a.yaml", 1)}, 1, 0)
    assert update(book, [one] * 3, {"a.yaml"}, {"a.yaml"}, False) == Update(book, 0, 1)
    assert update(book, [one] * 3, {"a.yaml"}, {"a.yaml"}, True).book == {"f": Entry("rule", "a.yaml", 3)}
