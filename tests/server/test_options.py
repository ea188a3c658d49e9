"""Hover and completion: options in every format, by the version of the job they belong to."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.server.client import Editor
from tests.server.conftest import PYTHON, RULE, SETTINGS

ACROSS = "code-overrides-configuration"
CONF = "execution.checkpointing.interval: 60 s\nexecution.checkpointing.timeout: 5 min\nstate.backend.type: rocksdb\n"
SQL = "CREATE TABLE t (a INT) WITH (\n  'connector' = 'kafka',\n  'scan.startup.mode' = 'earliest-offset',\n  'properties.group.id' = 'g'\n);\n"


@pytest.fixture(scope="module")
def job(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("job")
    (folder / "shoal.toml").write_text(SETTINGS.replace(f'"{RULE}"', f'"{RULE}", "{ACROSS}"'))
    (folder / "conf").mkdir()
    (folder / "conf" / "flink-conf.yaml").write_text(CONF)
    (folder / "job.py").write_text(PYTHON)
    (folder / "requirements.txt").write_text("apache-flink==1.18.1\n")
    return folder


@pytest.fixture(scope="module")
def editor(job: Path, cache: dict[str, str]) -> Iterator[Editor]:
    one = Editor(job, environment=cache)
    one.until(one.open(job / "job.py"), RULE, ACROSS)  # the whole job has been looked at
    yield one
    one.kill()


def place(text: str, mark: str = "|") -> tuple[str, dict[str, int]]:
    """A text without the mark, and where the mark stood."""
    before, after = text.split(mark)
    return before + after, {"line": before.count("\n"), "character": len(before.rpartition("\n")[2])}


def hover(editor: Editor, path: Path, marked: str) -> str:
    text, position = place(marked)
    uri = editor.open(path, text)
    found = editor.request("textDocument/hover", {"textDocument": {"uri": uri}, "position": position})
    editor.shut(uri)
    return found["contents"]["value"] if found else ""


def complete(editor: Editor, path: Path, marked: str) -> dict[str, Any]:
    text, position = place(marked)
    uri = editor.open(path, text)
    found = editor.request("textDocument/completion", {"textDocument": {"uri": uri}, "position": position})["items"]
    editor.shut(uri)
    return {item["label"]: item for item in found}


@pytest.mark.parametrize(
    "name, text, said",
    [
        ("a/flink-conf.yaml", "execution.check|pointing.timeout: 5 min\n", "default `10 min`"),
        ("a/config.yaml", "execution:\n  checkpointing:\n    time|out: 5 min\n", "execution.checkpointing.timeout"),
        ("a/q.sql", "SET 'execution.checkpointing.mode' = 'AT_|LEAST_ONCE';\n", "`EXACTLY_ONCE`"),
        ("a/q.sql", SQL.replace("startup.", "star|tup."), "`latest-offset`"),
        ("a/q.sql", SQL.replace("group.id", "gro|up.id"), "kafka.apache.org/documentation/#consumerconfigs_group.id"),
        (
            "a/server.properties",
            "process.roles=broker\nlog.reten|tion.hours=168\n",
            "kafka.apache.org/documentation/#brokerconfigs_log.retention.hours",
        ),
        ("a/job.py", PYTHON.replace("_timeout(", "_time|out("), "execution.checkpointing.timeout"),
        ("a/job.py", PYTHON + "t_env.execute_sql(\"SET 'table.exec.sta|te.ttl' = '1 d'\")\n", "default `0 ms`"),
        ("a/spark-defaults.conf", "spark.sql.shuffle.part|itions 10\n", "default `200`"),
        ("a/flink-conf.yaml", "made.up.k|ey: 1\n", ""),
    ],
)
def test_hover_knows_the_option(editor: Editor, job: Path, name: str, text: str, said: str) -> None:
    found = hover(editor, job / name, text)
    assert said in found and (said or not found)


def test_hover_says_what_the_job_uses_and_who_says_otherwise(editor: Editor, job: Path) -> None:
    found = hover(editor, job / "conf" / "flink-conf.yaml", CONF.replace("pointing.timeout", "pointing.time|out"))
    assert "Flink 1.18.1" in found and "flink-docs-release-1.18/" in found
    assert "In force in job.py: `500`, code, [job.py:4](" in found
    assert "overrides `5 min` in [conf/flink-conf.yaml:2](" in found


def test_hover_on_a_rule_in_a_suppression(editor: Editor, job: Path) -> None:
    found = hover(editor, job / "b" / "flink-conf.yaml", f"# shoal: ignore[{RULE[:5]}|{RULE[5:]}] slow\n{CONF}")
    assert found.startswith(f"# {RULE}") and "Why it hurts" in found and "```" not in found


@pytest.mark.parametrize(
    "name, text, wanted",
    [
        ("c/flink-conf.yaml", CONF + "execution.checkp|", "execution.checkpointing.mode"),
        ("c/flink-conf.yaml", CONF + "execution.checkp|: \n", "execution.checkpointing.mode"),
        ("c/config.yaml", "execution:\n  checkpointing:\n    timeout: 1 min\n    mo|\n", "mode"),
        ("c/config.yaml", "execution:\n  checkpointing:\n    mode: |\n", "EXACTLY_ONCE"),
        ("c/q.sql", "SET 'execution.checkpointing.|", "execution.checkpointing.mode"),
        ("c/q.sql", "SET 'execution.checkpointing.|'\n", "execution.checkpointing.mode"),
        ("c/q.sql", SQL.replace("'earliest-offset'", "'|'"), "latest-offset"),
        ("c/q.sql", SQL.replace("'kafka'", "'|'"), "upsert-kafka"),
        ("c/q.sql", SQL.replace("properties.group.id", "properties.auto.|"), "properties.auto.offset.reset"),
        ("c/q.sql", SQL.replace("'properties.group.id' = 'g'", "'|'"), "scan.topic-partition-discovery.interval"),
        ("c/app.properties", "bootstrap.servers=a:1\ngroup.id=g\nauto.|\n", "auto.offset.reset"),
        ("c/app.properties", "bootstrap.servers=a:1\ngroup.id=g\nauto.offset.reset=|\n", "earliest"),
        ("c/spark-defaults.conf", "spark.master local\nspark.sql.shuf|\n", "spark.sql.shuffle.partitions"),
        (
            "c/job.py",
            "from pyflink.common import Configuration\nc = Configuration()\nc.set_string('execution.checkpointing.|')\n",
            "execution.checkpointing.mode",
        ),
        (
            "c/job.py",
            'from pyspark.sql import SparkSession\ns = SparkSession.builder.config("spark.sql.shuf|").getOrCreate()\n',
            "spark.sql.shuffle.partitions",
        ),
        (
            "c/job.py",
            "from pyflink.table import EnvironmentSettings, TableEnvironment\n"
            "t = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())\nt.execute_sql(\"SET 'table.exec.state.|'\")\n",
            "table.exec.state.ttl",
        ),
        (
            "c/job.py",
            "from pyspark.sql import SparkSession\ns = SparkSession.builder.getOrCreate()\n"
            "d = s.readStream.format('kafka').option('starting|').load()\n",
            "startingOffsets",
        ),
    ],
)
def test_completion_in_every_format(editor: Editor, job: Path, name: str, text: str, wanted: str) -> None:
    found = complete(editor, job / name, text)
    assert wanted in found, sorted(found)[:20]
    assert found[wanted]["textEdit"]["newText"] == wanted


def test_completion_replaces_the_word_and_goes_by_the_version(editor: Editor, job: Path) -> None:
    (job / "old").mkdir()
    found = complete(editor, job / "conf" / "flink-conf.yaml", CONF + "state.check|points.dir: x\n")
    edit = found["state.checkpoints.dir"]["textEdit"]
    assert edit["range"]["start"]["character"] == 0 and edit["range"]["end"]["character"] == len("state.checkpoints.dir")
    assert "execution.checkpointing.dir" not in found, "is newer than 1.18"
    assert "state.backend.type" not in found, "stands there already"


def test_nothing_is_proposed_where_no_option_is_written(editor: Editor, job: Path) -> None:
    assert complete(editor, job / "d" / "job.py", PYTHON + "print('he|')\n") == {}
    assert complete(editor, job / "d" / "notes.md", "execution.|") == {}
