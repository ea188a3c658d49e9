"""The baseline: what is known does not count, what is new does, and it only shrinks."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

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
    assert done.code == 0 and "1 findings; 1 gone, 1 new and not accepted" in done.out
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


def test_the_same_finding_twice_is_two(shoal: Shoal, tree: Path) -> None:
    two = "SET 'execution.checkpointing.timeout' = '5 s';\nSET 'execution.checkpointing.timeout' = '6 s';\n"
    write(tree, {"job.sql": two.splitlines()[0] + "\n"})
    shoal("baseline", "--add")
    assert shoal("check").code == 0
    write(tree, {"x/job.sql": two})
    assert len([f for f in shoal("check", "--format", "json").report["findings"] if f["status"] == "open"]) == 2
