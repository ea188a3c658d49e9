"""The tables of runs: written whole, reused, and worth asking."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from shoal.cli import main
from shoal.spark import audit as audits
from shoal.spark import tables
from tests.spark.conftest import ROOT, Audit, git, write

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tables") / "tree"
    shutil.copytree(ROOT / "examples" / "incidents", folder)
    write(folder, "copy/flink-conf.yaml", b"restart-strategy.type: fixed-delay\nrestart-strategy.fixed-delay.attempts: 2147483647\n")
    write(folder, "fork/copy/flink-conf.yaml", (folder / "copy/flink-conf.yaml").read_bytes())
    write(folder, "shoal.toml", b"")
    return folder


def files(folder: Path) -> dict[str, tuple[int, int]]:
    return {str(path.relative_to(folder)): (path.stat().st_size, path.stat().st_mtime_ns) for path in folder.rglob("*") if path.is_file()}


def test_tables_hold_the_report_and_what_is_known_is_not_checked_again(
    audit: Audit, spark: SparkSession, tree: Path, tmp_path: Path
) -> None:
    kept = tmp_path / "kept"
    report = audit("--engine", "spark", "--tables", kept, tree)
    assert report == audit("--no-cache", tree)
    run = tables.views(spark, str(kept))

    def count(table: str) -> int:
        return spark.table(table).count()

    assert count("runs") == 1 and count("files") == report["summary"]["files"] and count("findings") == len(report["findings"])
    assert count("jobs") > 5 and count("facts") > 100
    for table, columns in tables.TABLES.items():
        assert spark.table(table).columns == [*columns, "run"]
    keys = spark.table("files").where("key is not null")
    contents = spark.read.parquet(str(kept / "contents"))
    assert contents.count() == keys.select("key").distinct().count() < keys.count()

    before = files(kept)
    assert audit("--engine", "spark", "--tables", kept, tree) == report
    assert files(kept) == before, "a finished audit writes nothing"

    changed = tree / "copy" / "flink-conf.yaml"
    old = changed.read_bytes()
    changed.write_bytes(b"# calm\n" + old)
    try:
        again = audit("--engine", "spark", "--tables", kept, tree)
        assert again == audit("--no-cache", tree)
    finally:
        changed.write_bytes(old)
    assert spark.read.parquet(str(kept / "contents")).count() == contents.count() + 1, "one content is new"
    assert tables.views(spark, str(kept)) != run and spark.table("runs").count() == 2


def test_an_audit_that_was_killed_goes_on_where_it_was(
    audit: Audit, spark: SparkSession, tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = tmp_path / "kept"
    report = audit("--engine", "spark", "--tables", kept, tree)
    run = tables.views(spark, str(kept))
    # as if it had been killed while it wrote the findings: files of that table are half there, and the row of the run is not
    shutil.rmtree(kept / "runs")
    shutil.rmtree(kept / "problems")
    for path in (kept / "findings").rglob("*.parquet"):
        path.unlink()
    contents = files(kept / "contents")
    monkeypatch.setattr(audits, "WAVE_BYTES", 1)
    assert audit("--engine", "spark", "--tables", kept, tree) == report
    assert files(kept / "contents") == contents, "what was checked is not checked again"
    assert tables.views(spark, str(kept)) == run


def test_tables_are_written_at_the_same_time_and_a_small_run_makes_one_file_of_each(
    audit: Audit, spark: SparkSession, tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    together = threading.Barrier(len(tables.TABLES) - 1, timeout=60)
    write = tables.Store.write

    def writes(store: tables.Store, frame: DataFrame, table: str, run: str) -> None:
        if table != "runs":
            together.wait()
        write(store, frame, table, run)

    monkeypatch.setattr(tables.Store, "write", writes)
    kept = tmp_path / "kept"
    assert audit("--engine", "spark", "--tables", kept, tree) == audit("--no-cache", tree)
    assert {table: len(list((kept / table).rglob("*.parquet"))) for table in tables.TABLES} == dict.fromkeys(tables.TABLES, 1)


def test_a_table_that_cannot_be_written_leaves_no_run(
    audit: Audit, spark: SparkSession, tree: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = tmp_path / "kept"
    write(kept, "jobs", b"not a folder")
    assert main(["audit", "--engine", "spark", "--tables", str(kept), str(tree)]) == 2
    err = capsys.readouterr().err
    assert err.startswith("shoal: Spark could not finish the audit: ") and err.count("\n") == 1
    written = files(kept)
    assert {path.partition("/")[0] for path in written} == {*tables.TABLES, "contents"} - {"runs"}, "the others came to their end"
    assert not any("_temporary" in path for path in written)
    (kept / "jobs").unlink()
    assert audit("--engine", "spark", "--tables", kept, tree) == audit("--no-cache", tree)
    tables.views(spark, str(kept))
    assert spark.table("runs").count() == 1


def test_workers_do_not_look_through_what_they_have_loaded_after_each_task(audit: Audit, spark: SparkSession, tree: Path) -> None:
    audit("--engine", "spark", tree)

    def left_alone(found: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import gc

        import pyarrow as pa

        for _ in found:
            yield pa.RecordBatch.from_pylist([{"objects": gc.get_freeze_count()}])

    workers = spark.range(0, 4, 1, 4).mapInArrow(left_alone, "objects bigint").collect()
    assert max(row["objects"] for row in workers) > 10_000


def test_waves_give_the_same(audit: Audit, spark: SparkSession, tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audits, "WAVE_BYTES", 40_000)
    kept = tmp_path / "kept"
    report = audit("--engine", "spark", "--tables", kept, tree)
    assert report == audit("--no-cache", tree)
    known = spark.read.parquet(str(kept / "contents"))
    assert known.count() == known.select("key").distinct().count()


def test_without_a_report_the_tables_are_the_report(
    tree: Path, tmp_path: Path, spark: SparkSession, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = tmp_path / "kept"
    assert main(["audit", "--engine", "spark", "--tables", str(kept), str(tree)]) == 1
    out = capsys.readouterr().out
    run = tables.views(spark, str(kept))
    row = spark.table("runs").first()
    assert row is not None and run in out and f"{row['findings']:,} findings" in out
    assert "endless-fast-restarts" in out


def test_without_a_report_the_first_problems_are_named(
    tmp_path: Path, spark: SparkSession, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, "list.txt", "\n".join(f"gone-{number:02}" for number in range(audits.SHOWN + 2)).encode())
    assert main(["audit", "--engine", "spark", "--repositories", "list.txt", "--tables", str(tmp_path / "kept")]) == 2
    told = capsys.readouterr().err.splitlines()
    assert told[0].startswith("shoal: problem[unreadable]: gone-00@HEAD: cannot change to")
    assert len([line for line in told if "problem[" in line]) == audits.SHOWN
    assert told[-1] == "shoal: 2 more problems: the table problems of this run has all"


def test_repositories_that_stand_where_they_stood_are_taken_over(
    audit: Audit, spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("orders", "payments", "own"):
        write(
            tmp_path, f"{name}/flink-conf.yaml", b"restart-strategy.type: fixed-delay\nrestart-strategy.fixed-delay.attempts: 2147483647\n"
        )
        git(tmp_path, "init", "-q", "-b", "main", name)
    write(tmp_path, "own/shoal.toml", b'exclude = ["other/"]\n[rules.endless-fast-restarts]\nseverity = "error"\n')
    write(tmp_path, "own/other/flink-conf.yaml", b"restart-strategy.type: fixed-delay\nrestart-strategy.fixed-delay.attempts: 2147483647\n")
    for name in ("orders", "payments", "own"):
        git(tmp_path / name, "add", "-A")
        git(tmp_path / name, "commit", "-qm", "one")
    names = ["orders", "payments@main", "own", "gone@main"]
    write(tmp_path, "list.txt", "\n".join(names).encode())
    arguments = ("--engine", "spark", "--repositories", "list.txt", "--tables", tmp_path / "kept")
    trees = [name if "@" in name else f"{name}@HEAD" for name in names]

    first = audit(*arguments)
    local = audit(*trees[:3], "--no-cache")
    assert first["findings"] == local["findings"] and [problem["path"] for problem in first["problems"]] == ["gone@main"]
    assert {(finding["places"][0]["root"], finding["severity"]) for finding in local["findings"]} >= {
        ("orders@HEAD", "warning"),
        ("own@HEAD", "error"),
    }
    git(tmp_path, "clone", "-q", "orders", "gone")  # what could not be read is tried again
    write(tmp_path, "payments/flink-conf.yaml", b"restart-strategy.type: exponential-delay\n")
    git(tmp_path / "payments", "commit", "-qam", "two")
    # what has not changed is not read, or it would be missed
    blob = git(tmp_path / "orders", "rev-parse", "HEAD:flink-conf.yaml").strip()
    (tmp_path / "orders" / ".git" / "objects" / blob[:2] / blob[2:]).unlink()

    again = audit(*arguments)
    local = audit("gone@main", *trees[1:3], "--no-cache")
    assert not again["problems"]
    assert sorted(finding["message"] for finding in again["findings"]) == sorted(
        finding["message"]
        for finding in (*local["findings"], *(one for one in first["findings"] if one["places"][0]["root"] == "orders@HEAD"))
    )
    run = tables.views(spark, str(tmp_path / "kept"))
    row = spark.table("runs").where(f"run = '{run}'").first()
    assert row is not None and row["files"] == spark.table("files").count() == again["summary"]["files"] == 4
    assert row["findings"] == len(again["findings"]) and row["problems"] == 0
    assert {tree["repo"]: (tree["files"], tree["read"]) for tree in row["repositories"]} == dict.fromkeys(
        ("orders@HEAD", "payments@main", "own@HEAD", "gone@main"), (1, 1)
    )
    assert sum(tree["bytes"] for tree in row["repositories"]) == row["bytes"]
    # what was not read is not written either, but shown
    since = {tree["repo"]: tree["since"] for tree in row["repositories"]}
    assert since["payments@main"] == since["gone@main"] == run and since["orders@HEAD"] == since["own@HEAD"] != run
    for table in tables.READ:
        shown = {(one["repo"], one["run"]) for one in spark.table(table).select("repo", "run").collect()}
        assert shown == {(name, run) for name in since}
        kept = spark.read.parquet(str(tmp_path / "kept" / table / f"run={run}"))
        assert {one["repo"] for one in kept.select("repo").collect()} == {"payments@main", "gone@main"}
    before = files(tmp_path / "kept")
    assert audit(*arguments) == again and files(tmp_path / "kept") == before


def test_a_repository_with_a_broken_file_is_taken_over_as_well(audit: Audit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, "broken/conf/config.yaml", b"execution.checkpointing.timeout: [1 s\n")
    write(tmp_path, "moving/conf/config.yaml", b"execution.checkpointing.timeout: 1 ms\n")
    for name in ("broken", "moving"):
        git(tmp_path, "init", "-q", "-b", "main", name)
        git(tmp_path / name, "add", "-A")
        git(tmp_path / name, "commit", "-qm", "one")
    write(tmp_path, "list.txt", b"broken\nmoving\n")
    arguments = ("--engine", "spark", "--repositories", "list.txt", "--tables", tmp_path / "kept")
    first = audit(*arguments)
    assert [problem["kind"] for problem in first["problems"]] == ["unparsable"]
    write(tmp_path, "moving/conf/config.yaml", b"execution.checkpointing.timeout: 10 min\n")
    git(tmp_path / "moving", "commit", "-qam", "two")
    blob = git(tmp_path / "broken", "rev-parse", "HEAD:conf/config.yaml").strip()
    (tmp_path / "broken" / ".git" / "objects" / blob[:2] / blob[2:]).unlink()  # who reads it has another problem
    again = audit(*arguments)
    assert again["problems"] == first["problems"] and len(again["findings"]) < len(first["findings"])


QUESTIONS = (ROOT / "docs" / "spark.md").read_text().split("```sql\n")[1:]


@pytest.fixture(scope="module")
def asked(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> SparkSession:
    """The views of an audit over a table of two repositories."""
    folder = tmp_path_factory.mktemp("asked")
    incidents = ROOT / "examples" / "incidents"
    files = [("incidents", str(path.relative_to(incidents)), path.read_bytes()) for path in sorted(incidents.rglob("*")) if path.is_file()]
    files += [
        ("payments", "conf/config.yaml", b"state.backend.type: rocksdb\nexecution.checkpointing.dir: file:///data\n"),
        (
            "payments",
            "job.py",
            b"from pyflink.datastream import StreamExecutionEnvironment\nenv = StreamExecutionEnvironment.get_execution_environment()\nenv.execute()\n",
        ),
        (
            "payments",
            "client/consumer.properties",
            b"bootstrap.servers=kafka-01:9092\ngroup.id=payments\ndefault.api.timeout.ms=1000\nrequest.timeout.ms=30000\n",
        ),
    ]
    spark.createDataFrame(files, "repo string, path string, content binary").write.parquet(str(folder / "files"))
    main(["audit", "--engine", "spark", "--table", f"parquet:{folder / 'files'}", "--tables", str(folder / "kept")])
    tables.views(spark, str(folder / "kept"))
    return spark


@pytest.mark.parametrize("number", range(len(QUESTIONS)))
def test_each_question_of_the_documentation_has_an_answer(asked: SparkSession, number: int) -> None:
    rows = [row.asDict() for row in asked.sql(QUESTIONS[number].partition("```")[0]).collect()]
    assert rows, QUESTIONS[number]
    known: dict[int, dict[str, Any]] = {
        0: {"repo": "payments", "job": "job.py", "version": ""},
        1: {"repo": "payments", "path": "client/consumer.properties", "line": 3, "api_timeout": "1000", "request_timeout": "30000"},
        2: {"repo": "incidents", "job": "i5-beam-restored-twice/python/pipeline.py", "version": "2.60.0"},
        4: {"repo": "payments", "job": "job.py", "kind": "job"},
        5: {"repo": "payments", "job": "job.py", "dir": "file:///data"},
        6: {"consumer_group": "payments", "files": 2},
    }
    assert number not in known or known[number] in rows


def test_the_documentation_has_ten_questions_and_the_columns_of_every_table() -> None:
    text = (ROOT / "docs" / "spark.md").read_text()
    assert len(QUESTIONS) == 10
    assert f"```text\n{tables.schemas()}\n```" in text
