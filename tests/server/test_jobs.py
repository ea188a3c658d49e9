"""Findings that need several files: shown in each editor, with the other side, and judged again when any of the files changes."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.server.client import Editor
from tests.server.conftest import BAD, PYTHON, RULE, SETTINGS, Start
from tests.server.test_actions import applied

ACROSS = "code-overrides-configuration"
CONF = "execution.checkpointing.timeout: 5 min\nexecution.checkpointing.dir: s3://bucket/checkpoints\n"
PULL = {"textDocument": {"diagnostic": {}}, "workspace": {"diagnostics": {"refreshSupport": True}, "codeLens": {"refreshSupport": True}}}


@pytest.fixture
def job(tmp_path: Path) -> Path:
    (tmp_path / "shoal.toml").write_text(SETTINGS.replace(f'"{RULE}"', f'"{ACROSS}"'))
    (tmp_path / "flink-conf.yaml").write_text(CONF)
    (tmp_path / "job.py").write_text(PYTHON.replace("(500)", "(120000)"))
    (tmp_path / "requirements.txt").write_text("apache-flink==1.20.0\n")
    return tmp_path


def test_a_job_is_judged_again_when_one_of_its_files_changes(start: Start, job: Path) -> None:
    editor = start(job)
    code = editor.open(job / "job.py")
    conf = editor.open(job / "flink-conf.yaml")
    (found,) = editor.until(code, ACROSS)
    (related,) = [item["location"] for item in found["relatedInformation"]]
    assert related["uri"] == conf and related["range"]["start"] == {"line": 0, "character": 33}
    same = CONF.replace("5 min", "2 min")
    editor.edit(conf, {"text": same})
    editor.save(job / "flink-conf.yaml", same)
    assert editor.until(code) == []
    # a file that is not open changes on disk
    editor.shut(conf)
    (job / "flink-conf.yaml").write_text(CONF)
    editor.changed(job / "flink-conf.yaml")
    editor.until(code, ACROSS)
    (job / "flink-conf.yaml").unlink()
    editor.changed(job / "flink-conf.yaml", kind=3)
    assert editor.until(code) == []


def test_what_is_typed_and_not_saved_counts_until_the_file_is_closed(start: Start, job: Path) -> None:
    editor = start(job)
    code = editor.open(job / "job.py")
    editor.until(code, ACROSS)
    conf = editor.open(job / "flink-conf.yaml", CONF.replace("5 min", "2 min"))
    assert editor.until(code) == []
    editor.shut(conf)
    editor.until(code, ACROSS)


def pulled(editor: Editor, uri: str, previous: str | None = None) -> dict[str, Any]:
    return editor.request("textDocument/diagnostic", {"textDocument": {"uri": uri}, "previousResultId": previous})


def test_an_editor_may_ask_instead_of_being_told(start: Start, job: Path) -> None:
    (job / "shoal.toml").write_text(SETTINGS)
    (job / "other").mkdir()
    (job / "other" / "config.yaml").write_text(BAD)
    editor = start(job, capabilities=PULL)
    provider = editor.capabilities["diagnosticProvider"]
    assert provider["interFileDependencies"] and provider["workspaceDiagnostics"]
    uri = editor.open(job / "job.py", PYTHON)
    first = pulled(editor, uri)
    assert [item["code"] for item in first["items"]] == [RULE]
    assert pulled(editor, uri, first["resultId"])["kind"] == "unchanged"
    every = editor.request("workspace/diagnostic", {"previousResultIds": []})["items"]
    assert {item["uri"]: [found["code"] for found in item["items"]] for item in every} == {
        uri: [RULE],
        (job / "other" / "config.yaml").as_uri(): [RULE],
    }
    editor.edit(uri, {"text": PYTHON.replace("(500)", "(600000)")})
    assert pulled(editor, uri, first["resultId"])["items"] == []
    assert not editor.diagnostics, "nothing is said twice"


def test_repositories_side_by_side_in_a_workspace_are_no_one_project(start: Start, job: Path) -> None:
    for name, folder in (("job.py", "clicks"), ("requirements.txt", "clicks"), ("flink-conf.yaml", "platform/conf")):
        (job / folder).mkdir(parents=True, exist_ok=True)
        (job / name).rename(job / folder / name)

    def found() -> list[str]:
        items = start(job, capabilities=PULL).request("workspace/diagnostic", {"previousResultIds": []})["items"]
        return [finding["code"] for item in items for finding in item["items"]]

    assert found() == [ACROSS]
    for name in ("clicks", "platform"):
        subprocess.run(["git", "init", "-q", job / name], check=True)
    assert found() == []


def test_the_outline_and_the_line_above_a_job(start: Start, job: Path) -> None:
    editor = start(job)
    uri = editor.open(job / "job.py")
    editor.until(uri, ACROSS)
    (lens,) = editor.request("textDocument/codeLens", {"textDocument": {"uri": uri}})
    assert lens["range"]["start"]["line"] == 1
    assert lens["command"]["title"] == "1 finding in 3 files; checkpoints every 1 min to s3://bucket/checkpoints; Flink 1.20.0"
    symbols = editor.request("textDocument/documentSymbol", {"textDocument": {"uri": uri}})
    assert [child["name"] for child in symbols[0]["children"]] == ["execution.checkpointing.interval", "execution.checkpointing.timeout"]
    for symbol in symbols:
        inside, whole = symbol["selectionRange"], symbol["range"]
        assert (whole["start"]["line"], whole["start"]["character"]) <= (inside["start"]["line"], inside["start"]["character"])
        assert (inside["end"]["line"], inside["end"]["character"]) <= (whole["end"]["line"], whole["end"]["character"])


def test_what_is_set_in_a_file_that_does_not_count_can_be_set_where_it_does(start: Start, job: Path) -> None:
    editor = start(job)
    code = editor.open(job / "job.py")
    editor.until(code, ACROSS)
    conf = editor.open(job / "flink-conf.yaml", CONF.replace("5 min", "300000"))
    where = {"start": {"line": 0, "character": 5}, "end": {"line": 0, "character": 5}}
    params = {"textDocument": {"uri": conf}, "range": where, "context": {"diagnostics": [], "only": ["refactor"]}}
    (action,) = editor.request("textDocument/codeAction", params)
    assert action["title"] == "Set execution.checkpointing.timeout to 300000 where it counts: job.py:4"
    ((uri, (change,)),) = action["edit"]["changes"].items()
    assert uri == code and change["newText"] == "300000" and change["range"]["start"]["line"] == 3


SQL = (
    "CREATE TABLE o (id INT) WITH ('connector' = 'kafka', 'topic' = 'o', 'properties.bootstrap.servers' = 'b:9092', "
    "'scan.startup.mode' = 'earliest-offset', 'format' = 'json');\n"
    "CREATE TABLE t (n BIGINT) WITH ('connector' = 'jdbc', 'url' = 'jdbc:postgresql://db/shop', 'table-name' = 't');\n"
    "INSERT INTO t SELECT COUNT(*) FROM o;\n"
)
KAFKA = (
    "from pyflink.datastream import StreamExecutionEnvironment\n"
    "from pyflink.datastream.connectors.kafka import KafkaSource\n"
    "env = StreamExecutionEnvironment.get_execution_environment()\n"
    "source = KafkaSource.builder().set_bootstrap_servers('b:9092').set_topics('o').set_group_id('g').build()\n"
    "env.from_source(source, None, 'o').map(str)\n"
    "env.execute()\n"
)
MANIFEST = """apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
metadata:
  name: orders
spec:
  image: flink:1.20.0
  flinkVersion: v1_20
  flinkConfiguration:
    taskmanager.numberOfTaskSlots: "2"
  job:
    jarURI: local:///opt/flink/opt/flink-python.jar
    args: ["-py", "/opt/job.py"]
    upgradeMode: stateless
"""


@pytest.mark.parametrize(
    "files, name, where, line",
    [
        ({"q.sql": SQL}, "q.sql", "q.sql", "SET 'execution.checkpointing.interval' = '1 min';"),
        ({"job.py": KAFKA}, "job.py", "job.py", "env.enable_checkpointing(60000)"),
        (
            {"job.py": KAFKA, "flink-conf.yaml": "parallelism.default: 2 # two\r\n\r\n# the end\r\n"},
            "job.py",
            "flink-conf.yaml",
            "execution.checkpointing.interval: 1 min",
        ),
        (
            {
                "job.py": KAFKA,
                "conf/config.yaml": "jobmanager:\n  rpc:\n    address: jobmanager\nexecution:\n  checkpointing:\n    timeout: 10 min",
            },
            "job.py",
            "conf/config.yaml",
            "execution.checkpointing.interval: 1 min",
        ),
        ({"job.py": KAFKA, "k8s/orders.yaml": MANIFEST}, "job.py", "k8s/orders.yaml", "    execution.checkpointing.interval: 1 min"),
    ],
)
def test_what_no_file_of_the_job_sets_can_be_set_in_the_right_one(
    start: Start, tmp_path: Path, files: dict[str, str], name: str, where: str, line: str
) -> None:
    rule = "checkpointing-not-enabled"
    (tmp_path / "shoal.toml").write_text(f'select = ["{rule}"]\nmin-confidence = "low"\n')
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_bytes(text.encode())
    editor = start(tmp_path)
    uri = editor.open(tmp_path / name)
    (found,) = editor.until(uri, rule)
    params = {"textDocument": {"uri": uri}, "range": found["range"], "context": {"diagnostics": [], "only": ["quickfix"]}}
    (action,) = [item for item in editor.request("textDocument/codeAction", params) if item["title"].startswith("Set ")]
    assert action["title"] == f"Set execution.checkpointing.interval to 1 min in {where}"
    ((target, _),) = action["edit"]["changes"].items()
    assert target == (tmp_path / where).as_uri()
    before = files[where]
    after = applied(before, action["edit"])
    assert line in after.splitlines() and len(after.splitlines()) == len(before.splitlines()) + 1
    assert after.count("\r\n") == (after.count("\n") if "\r\n" in before else 0)
    (tmp_path / where).write_bytes(after.encode())
    if where == name:
        editor.edit(uri, {"text": after})
    else:
        editor.changed(tmp_path / where)
    assert editor.until(uri) == []
