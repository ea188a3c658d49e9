"""Every report on Spark is that of the local engine, though nothing but rows comes from what only executors see."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from shoal.cli import FORMATS, main
from tests.report.test_cells import DATABRICKS, JOB, notebook
from tests.spark.conftest import ROOT, git, write

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    Reports = Callable[..., dict[str, str]]

BAD = "execution:\n  checkpointing:\n    interval: 60 s\n    timeout: 1 s # tiny\n"
# JSON, Markdown and notebooks have lines that no report shows as a whole; `far` is where the finding stands.
LONG = '{{"filler": "{0}", "execution": {{"checkpointing": {{"interval": "60 s", "timeout": "1 s"}}}}, "more": "{0}"}}\n'
TABLE = """\
CREATE TABLE orders (id BIGINT) WITH (
  'connector' = 'kafka',
  'topic' = 'orders',
  'properties.bootstrap.servers' = 'kafka:9092',
  'scan.startup.mode' = 'latest-offset',
  'format' = 'json'
);
"""


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A git repository with findings in every kind of place that reports show in their own way, and its bare copy `jobs.git` beside it."""
    folder = tmp_path_factory.mktemp("git")
    shutil.copytree(ROOT / "examples" / "incidents", folder / "work")
    far = "".join(f"{number} " for number in range(2_000))
    work = folder / "work"
    write(work, "crlf/config.yaml", BAD.replace("\n", "\r\n").encode())
    write(work, "bom/config.yaml", b"\xef\xbb\xbf" + BAD.encode())
    write(work, "latin/flink-conf.properties", "# caf\xe9\nexecution.checkpointing.timeout=1 s\n".encode("latin-1"))
    write(work, "long/config.yaml", LONG.format(far).encode())
    write(work, "long/comment/config.yaml", BAD.replace("# tiny", f"# {far}").encode())
    write(work, "notebooks/a.ipynb", notebook(("markdown", "# x"), ("code", list(JOB))).encode())
    write(work, "notebooks/long.ipynb", notebook(("code", f"filler = '{far}'"), ("code", "".join(JOB)), indent=None).encode())
    write(work, "notebooks/b.py", DATABRICKS.format(*JOB).encode())
    write(work, "sql/job.sql", f"-- {far}\n{TABLE}INSERT INTO{chr(10) * 12}  sink SELECT id, count(*) FROM orders GROUP BY id;\n".encode())
    write(work, "silenced/config.yaml", BAD.replace("# tiny", "# shoal: ignore[checkpoint-timeout-too-short] agreed").encode())
    write(work, "unused/config.yaml", f"# shoal: ignore[checkpoint-timeout-too-short]\n{BAD.replace('1 s', '10 min')}".encode())
    write(work, "ev|il <b>/config.yaml", BAD.encode())
    write(work, "docs/CODEOWNERS", b"* @team/streams\n/notebooks/ @team/notebooks\n*.sql ann@example.com @team/sql # of theirs\n")
    write(work, "broken/config.yaml", b"flink: [\n")
    git(folder, "init", "-q", "-b", "main", "work")
    git(work, "add", "-A")
    git(work, "commit", "-qm", "one")
    git(folder, "clone", "-q", "--bare", "work", "jobs.git")
    return work


@pytest.fixture
def reports(spark: SparkSession, tmp_path: Path) -> Reports:
    """Run `shoal audit` with these arguments; its report in every format, and the exit code."""

    def run(*arguments: object) -> dict[str, str]:
        asked: list[str] = []
        for name in FORMATS:
            asked += ["--format", name, "--output", str(tmp_path / name)]
        code = main(["audit", "--select", "all", *map(str, arguments), *asked])
        found = {name: (tmp_path / name).read_text(encoding="utf-8", errors="surrogateescape") for name in FORMATS}
        found["junit"] = re.sub(r'time="[\d.]+"', "", found["junit"])
        return {**found, "code": str(code)}

    return run


def test_repositories(reports: Reports, work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(work.parent)
    (work.parent / "list.txt").write_text("jobs.git\nwork@HEAD\n")
    local = reports("jobs.git", "work@HEAD", "--no-cache")
    assert_the_same(reports("--engine", "spark", "--repositories", "list.txt"), local)
    assert all(owner in local["html"] for owner in ("@team/streams", "@team/notebooks", "ann@example.com"))
    places = [place for finding in json.loads(local["json"])["findings"] for place in finding["places"]]
    assert {place["path"] for place in places if "cell" in place} == {"notebooks/a.ipynb", "notebooks/long.ipynb", "notebooks/b.py"}
    assert any(place["start"]["line"] < place["end"]["line"] for place in places) and any(
        place["start"]["column"] > 8_000 for place in places
    )
    regions = [
        replacement["deletedRegion"]
        for result in json.loads(local["sarif"])["runs"][0]["results"]
        for fix in result.get("fixes", ())
        for change in fix["artifactChanges"]
        for replacement in change["replacements"]
    ]
    assert any(region["endColumn"] == 1 for region in regions) and any(region["startLine"] > 1 for region in regions)


def assert_the_same(found: dict[str, str], wanted: dict[str, str]) -> None:
    assert found["json"] == wanted["json"]
    assert {name for name in wanted if found[name] != wanted[name]} == set()


def test_a_remote_folder_and_a_table(
    reports: Reports, spark: SparkSession, work: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only fingerprints differ for a table: it may hold several trees, and they tell them apart."""
    monkeypatch.chdir(work)
    local = reports(".", "--no-cache")
    assert_the_same(reports("--engine", "spark", f"file://{work}"), local)
    found = [(str(path.relative_to(work)), path) for path in sorted(work.rglob("*")) if path.is_file() and ".git" not in path.parts]
    rows = [(name, path.read_bytes()) for name, path in found]
    spark.createDataFrame(rows, "path string, content binary").write.parquet(str(tmp_path / "files"))
    table = reports("--engine", "spark", "--table", f"parquet:{tmp_path / 'files'}")
    assert_the_same(*({name: re.sub(r"\b[0-9a-f]{20}\b", "", text) for name, text in each.items()} for each in (table, local)))


def test_a_folder_and_what_its_tables_say_later(reports: Reports, work: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(work)
    local = reports(".", "--no-cache")
    assert_the_same(reports("--engine", "spark", "."), local)
    tables = ("--engine", "spark", "--tables", tmp_path / "tables")
    assert_the_same(reports(*tables, "."), local)
    assert_the_same(reports(*tables, "."), local)


def test_a_run_that_stays_in_its_tables_is_judged_and_remembered(
    spark: SparkSession, work: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Counts and the exit code are those of the local engine; nothing but numbers comes to the driver."""
    monkeypatch.chdir(work)
    tables = ("--engine", "spark", "--tables", str(tmp_path / "tables"))
    asked = ("crlf", "long", "silenced", "sql")
    assert main(["audit", "--no-cache", "crlf", "sql", "--format", "json", "--output", str(tmp_path / "old.json")]) == 1
    new = ("--against", str(tmp_path / "old.json"))
    for policy, paths, code in (
        ("never", asked, 0),
        ("error:high", asked, 1),
        ("error:high", ("sql",), 0),
        ("new", ("crlf", "sql"), 0),
        ("new:error:high,info:medium", asked, 1),
    ):
        judged = ("--fail-on", policy, *(new if "new" in policy else ()), *paths)
        capsys.readouterr()
        assert main(["audit", "--no-cache", *judged]) == code
        said = [line for line in capsys.readouterr().err.splitlines() if "fail-on" in line]
        assert main(["audit", *tables, *judged]) == code and bool(said) == bool(code)
        assert [line for line in capsys.readouterr().err.splitlines() if "fail-on" in line] == said
    for engine, name in (("--no-cache",), "local"), (tables, "tables"), (("--engine", "spark"), "spark"):
        for paths in (("crlf",), asked):
            main(["audit", *engine, "--history", str(tmp_path / f"{name}.jsonl"), *paths])
    kept = [
        [{**json.loads(line), "time": ""} for line in (tmp_path / f"{name}.jsonl").read_text().splitlines()]
        for name in ("local", "tables", "spark")
    ]
    assert kept[0] == kept[1] == kept[2] and len(kept[0]) == 2 and kept[0][1]["errors"]
    main(
        ["audit", *tables, "--history", str(tmp_path / "tables.jsonl"), "broken", "crlf"]
    )  # what could not be checked would look like progress
    assert len((tmp_path / "tables.jsonl").read_text().splitlines()) == 2
    assert main(["audit", *tables, "--history", str(tmp_path / "old.json"), "crlf"]) == 2
    assert "is not a history of shoal" in capsys.readouterr().err


def test_what_changes_can_have_caused(
    reports: Reports, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """In a folder, and in each repository of a list; with settings that have changed, a baseline, and one that lacks the revision."""
    pyproject, job = (
        b"[project]\nname = 'x'\n",
        b"from pyflink.datastream import StreamExecutionEnvironment\nenv = StreamExecutionEnvironment.get_execution_environment()\n",
    )
    for name in ("one", "two", "three"):
        work = tmp_path / name
        write(work, "old/config.yaml", BAD.encode())
        write(work, "known/config.yaml", BAD.encode())
        write(work, "job/conf/flink-conf.yaml", b"execution.checkpointing.interval: 30 s\n")
        write(work, "job/pyproject.toml", pyproject)
        write(work, "job/main.py", job + b"env.enable_checkpointing(30000)\nenv.execute()\n")
        write(work, "shoal.toml", b'baseline = "known.json"\nseverity = "warning"\n')
        monkeypatch.chdir(work)
        assert main(["baseline", "--select", "all", "known"]) == 0
        git(tmp_path, "init", "-q", "-b", "main", name)
        git(work, "add", "-A")
        git(work, "commit", "-qm", "one")
        git(work, "checkout", "-q", "-b", "work")
        write(work, "new/config.yaml", BAD.encode())
        write(work, "job/main.py", job + b"env.enable_checkpointing(60000)\nenv.execute()\n")
        if name == "two":
            write(work, "shoal.toml", b'baseline = "known.json"\n')
        git(work, "add", "-A")
        git(work, "commit", "-qm", "two")
    monkeypatch.chdir(tmp_path / "one")
    write(tmp_path, "one/untracked/config.yaml", BAD.encode())
    asked = ("--changed-since", "main")
    local = reports(".", "--no-cache", *asked)
    assert_the_same(reports("--engine", "spark", ".", *asked), local)
    places = {finding["places"][0]["path"] for finding in json.loads(local["json"])["findings"]}
    assert {"new/config.yaml", "untracked/config.yaml", "job/conf/flink-conf.yaml"} <= places and "old/config.yaml" not in places

    monkeypatch.chdir(tmp_path)
    names = ["one@work", "two@work"]
    write(tmp_path, "list.txt", "\n".join(names).encode())
    local = reports(*names, "--no-cache", *asked)
    assert_the_same(reports("--engine", "spark", "--repositories", "list.txt", *asked), local)
    assert "the settings have changed (shoal.toml)" in local["text"]
    states = {
        (finding["places"][0]["root"], finding["places"][0]["path"], finding["status"]) for finding in json.loads(local["json"])["findings"]
    }
    assert ("two@work", "known/config.yaml", "baselined") in states and ("one@work", "old/config.yaml", "open") not in states

    git(tmp_path / "three", "branch", "-q", "-D", "main")
    write(tmp_path, "list.txt", b"one@work\nthree@work\n")
    found = json.loads(reports("--engine", "spark", "--repositories", "list.txt", *asked)["json"])
    assert [(problem["path"], "no revision 'main'" in problem["message"]) for problem in found["problems"]] == [("three@work", True)]
    assert found["findings"]
    for wrong in (["--tables", "t", "one"], ["--table", "parquet:x"], ["file:///x"]):
        assert main(["audit", "--engine", "spark", *asked, *wrong]) == 2
        assert "--changed-since is about git" in capsys.readouterr().err
