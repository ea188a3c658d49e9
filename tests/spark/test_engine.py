"""The audit on Spark finds what the local engine finds, whatever the input is."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from shoal.cli import main
from shoal.settings import Settings
from shoal.spark import driver
from shoal.spark.plan import Plan
from shoal.spark.session import said
from tests.spark.conftest import Audit, git, make_tree, write

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

KILLER = """\
import os

def check(job, context):
    for setting in job.settings:
        if setting.text == "42ms":
            os.kill(os.getpid(), 9)
        if setting.text == "43ms":
            while True:
                pass
    yield from ()
"""


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_tree(tmp_path_factory.mktemp("tree"))


@pytest.fixture(scope="module")
def repository(tree: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the bare repository `jobs.git` that holds the tree with names that a text can hold, and a change after `v1`."""
    folder = tmp_path_factory.mktemp("git")
    os.system(f"cp -r {tree}/incidents {folder}/work")
    git(folder, "init", "-q", "-b", "main", "work")
    write(folder, "work/helm/flink-conf.yaml", b"restart-strategy: none\n")
    git(folder / "work", "add", "-A")
    git(folder / "work", "commit", "-qm", "one")
    git(folder / "work", "tag", "v1")
    write(folder, "work/helm/flink-conf.yaml", b"restart-strategy.type: fixed-delay\nrestart-strategy.fixed-delay.attempts: 2147483647\n")
    git(folder / "work", "commit", "-qam", "two")
    git(folder, "clone", "-q", "--bare", "work", "jobs.git")
    return folder


def test_a_folder_gives_the_report_of_the_local_engine(audit: Audit, tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tree)
    local = audit(".", "--no-cache")
    assert audit(".", "--engine", "spark") == local
    assert local["summary"]["problems"] > 1 and local["summary"]["suppressed"] and local["summary"]["left_out"] > 3
    assert len(local["findings"]) > 100


def test_a_folder_that_one_task_does_not_list_gives_it_too(audit: Audit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree = tmp_path / "tree"
    for number in range(700):
        write(tree, f"s{number}/flink-conf.yaml", b"restart-strategy: none\n" if number % 7 else b"state.backend: nope\n")
        for other in range(16):
            (tree / f"s{number}/{other}.yaml").write_bytes(b"a: 1\n")
    monkeypatch.chdir(tree)
    local = audit(".", "--no-cache")
    assert local["summary"]["files"] == 11_900 and len(local["findings"]) > 100
    assert audit(".", "--engine", "spark") == local


def test_a_part_of_a_project_is_checked_as_in_the_whole(audit: Audit, tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tree)
    part = sorted(path for path in (tree / "incidents").iterdir() if path.is_dir())[0].relative_to(tree)
    local = audit(part, "--no-cache")
    assert local["findings"] and audit(part, "--engine", "spark") == local


def test_repositories_are_read_at_their_revisions(audit: Audit, repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(repository)
    names = ["jobs.git", "jobs.git@v1", "work@main~1"]
    write(repository, "list.txt", "\n".join(["# ours", *names, ""]).encode())
    local = audit(*names, "--no-cache")
    found = audit("--engine", "spark", "--repositories", "list.txt")
    assert found == local
    assert {"jobs.git@HEAD", "jobs.git@v1", "work@main~1"} == {finding["places"][0]["root"] for finding in found["findings"]}


def test_each_repository_has_its_own_settings_and_baseline(audit: Audit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("plain", "typo", "own", "lost"):
        write(
            tmp_path, f"{name}/flink-conf.yaml", b"restart-strategy.type: fixed-delay\nrestart-strategy.fixed-delay.attempts: 2147483647\n"
        )
        git(tmp_path, "init", "-q", "-b", "main", name)
    write(tmp_path, "typo/shoal.toml", b'selct = ["x"]\n')
    write(tmp_path, "own/pyproject.toml", b'[tool.shoal]\nextend = "more/base.toml"\nbaseline = "baseline.json"\n')
    write(tmp_path, "own/more/base.toml", b'[rules.endless-fast-restarts]\nseverity = "error"\n')
    monkeypatch.chdir(tmp_path / "own")
    assert main(["baseline"]) == 0
    write(tmp_path, "own/later/flink-conf.yaml", (tmp_path / "own/flink-conf.yaml").read_bytes())
    write(tmp_path, "lost/shoal.toml", b'baseline = "nowhere.json"\n')
    monkeypatch.chdir(tmp_path)
    for name in ("plain", "typo", "own", "lost"):
        git(tmp_path / name, "add", "-A")
        git(tmp_path / name, "commit", "-qm", "one")
    names = [f"{name}@main" for name in ("plain", "typo", "own", "lost")]
    write(tmp_path, "list.txt", "\n".join(names).encode())
    write(tmp_path, "shoal.toml", b'ignore = ["all"]\n')  # the working directory has no say
    local = audit(*names, "--no-cache")
    assert audit("--engine", "spark", "--repositories", "list.txt") == local
    told = {(finding["places"][0]["root"], finding["severity"], finding["status"]) for finding in local["findings"]}
    assert told >= {("plain@main", "warning", "open"), ("own@main", "error", "baselined"), ("own@main", "error", "open")}
    assert [(problem["root"], problem["path"]) for problem in local["problems"]] == [
        ("typo@main", "shoal.toml"),
        ("lost@main", "nowhere.json"),
    ]


def test_a_repository_that_cannot_be_read_is_a_problem(audit: Audit, repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(repository)
    write(repository, "gone.txt", b"jobs.git@nowhere\nnothing.git\njobs.git\n")
    found = audit("--engine", "spark", "--repositories", "gone.txt")
    assert [problem["path"] for problem in found["problems"]] == ["jobs.git@nowhere", "nothing.git@HEAD"]
    assert found["findings"]


def test_a_table_and_a_folder_that_spark_reads_give_the_same_findings(
    audit: Audit, spark: SparkSession, repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = repository / "work"
    files = [
        (str(path.relative_to(work)), path.read_bytes()) for path in sorted(work.rglob("*")) if path.is_file() and ".git" not in path.parts
    ]
    rows = [(repo, path, data) for repo in ("ours", "fork") for path, data in files]
    spark.createDataFrame(rows, "repo string, path string, content binary").write.parquet(str(tmp_path / "files"))
    monkeypatch.chdir(work)
    local = audit(".", "--no-cache")

    remote = audit("--engine", "spark", f"file://{work}")
    assert plain(remote, "") == plain(local, "")
    assert remote["findings"] == local["findings"]

    both = audit("--engine", "spark", "--table", f"parquet:{tmp_path / 'files'}")
    assert plain(both, "ours/") == plain(both, "fork/") == plain(local, "")
    assert len({finding["fingerprint"] for finding in both["findings"]}) == len(both["findings"])


def test_virtual_environments_of_a_remote_folder_count_and_ignore_files_do_not(
    audit: Audit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is no checkout, so that nothing is known of what git tracks: as locally."""
    tree = tmp_path / "tree"
    conf = b"restart-strategy.type: fixed-delay\nrestart-strategy.fixed-delay.attempts: 2147483647\n"
    for folder in (".", "build-1", "a [b]{c}/out", "ours/lib", "node_modules"):
        write(tree, f"{folder}/flink-conf.yaml", conf)
    write(tree, "ours/pyvenv.cfg", b"home = /usr\n")
    write(tree, ".gitignore", b"build-*/\n")
    monkeypatch.chdir(tree)
    local = audit(".", "--no-cache")
    assert {finding["places"][0]["path"].rpartition("/")[0] for finding in local["findings"]} == {"", "build-1", "a [b]{c}/out"}
    assert {item["path"] for item in local["left_out"]} == {"ours", "node_modules"}
    assert audit("--engine", "spark", f"file://{tree}") == local


def plain(report: dict[str, Any], start: str) -> list[tuple[object, ...]]:
    """The findings in paths that begin so, by what stays when a tree has another name."""
    return [
        (finding["rule"], finding["message"], place["path"][len(start) :], place["start"]["line"], place["end"]["column"])
        for finding in report["findings"]
        if (place := finding["places"][0])["path"].startswith(start)
    ]


def test_a_file_that_kills_or_stops_its_worker_is_a_problem_and_no_more(audit: Audit, tmp_path: Path) -> None:
    rule = b"id: own-killer\nsummary: Dies of what it sees\nseverity: error\nconfidence: high\nengines: [flink]\n"
    write(tmp_path, "own/rules/own_killer/rule.yaml", rule)
    write(tmp_path, "own/rules/own_killer/check.py", KILLER.encode())
    write(tmp_path, "tree/shoal.toml", b"timeout = 2\n")
    for number in (41, 42, 43, 44):
        write(tmp_path, f"tree/{number}/flink-conf.yaml", f"execution.checkpointing.timeout: {number}ms\n".encode())
    found = audit("--engine", "spark", "--rules", tmp_path / "own", tmp_path / "tree")
    assert [(problem["path"][-18:], problem["kind"]) for problem in found["problems"]] == [
        ("42/flink-conf.yaml", "worker-died"),
        ("43/flink-conf.yaml", "timed-out"),
    ]
    assert "SIGKILL" in found["problems"][0]["message"]
    assert {finding["places"][0]["path"][-18:-16] for finding in found["findings"]} == {"41", "44"}
    git(tmp_path, "init", "-q", "-b", "main", "tree")
    git(tmp_path / "tree", "add", "-A")
    git(tmp_path / "tree", "commit", "-qm", "one")
    write(tmp_path, "list.txt", f"{tmp_path}/tree\n".encode())
    listed = audit("--engine", "spark", "--rules", tmp_path / "own", "--repositories", tmp_path / "list.txt")
    assert [problem["message"] for problem in listed["problems"]] == [problem["message"] for problem in found["problems"]]
    assert listed["problems"][1]["message"] == "not done after 2 s"


def test_executors_with_other_rules_are_told_of(spark: SparkSession, tmp_path: Path) -> None:
    write(tmp_path, "flink-conf.yaml", b"restart-strategy: none\n")
    plan = Plan(Settings(), ("endless-fast-restarts",), "0" * 64, root=str(tmp_path))
    with pytest.raises(Exception) as caught:
        driver.small_folder(driver.listed(spark, plan, lambda frame: frame), plan, 2).collect()
    told = said(caught.value)
    assert "install the same wheel" in told and "rules 000000000000" in told and "\n" not in told


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--table", "parquet:/x"], "go with --engine spark"),
        (["--engine", "spark", "--table", "files"], "should be FORMAT:NAME"),
        (["--engine", "spark", "--table", "parquet:/x", "conf"], "not several of them"),
        (["--engine", "spark", "--repositories", "/nonexistent"], "cannot read /nonexistent"),
        (["--engine", "spark", "--spark-conf", "x"], "should be KEY=VALUE"),
    ],
)
def test_what_makes_no_sense_is_said(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["audit", *arguments]) == 2
    assert said in capsys.readouterr().err
