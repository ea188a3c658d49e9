"""Jobs as the command sees them: one file checked with the rest of its job, and `shoal jobs`."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from shoal import core, rulebook
from shoal.cli import main
from shoal.host import Request, check
from shoal.job import Job
from shoal.jobs import siblings
from shoal.settings import Settings
from tests.host.conftest import with_rulebook

RULE = "missing-durable-checkpoint-storage"
CODE = """from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.enable_checkpointing(10_000)
env.execute()
"""
CONF = "jobmanager.rpc.address: jobmanager\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / ".git").mkdir()
    (tmp_path / "jobs").mkdir()
    (tmp_path / "conf").mkdir()
    (tmp_path / "jobs/orders.py").write_text(CODE)
    (tmp_path / "conf/flink-conf.yaml").write_text(CONF)
    return tmp_path


def found(project: Path, *paths: str) -> list[tuple[str, str]]:
    """(path, confidence) of what the rule finds when these paths are checked."""
    only = rulebook.load().only(lambda rule: rule.id == RULE)
    request = Request(tuple(str(project / path) for path in paths), str(project), Settings(), only, cache=False)
    return [(finding.primary.path, finding.confidence) for finding in check(request).findings]


def test_one_file_is_judged_with_the_rest_of_its_job(project: Path) -> None:
    whole = found(project, ".")
    assert whole == [("jobs/orders.py", "medium")]
    assert found(project, "jobs/orders.py") == whole
    assert found(project, "conf/flink-conf.yaml") == whole  # the config changed, the code is what suffers


def test_the_rest_of_the_job_can_make_a_file_right(project: Path) -> None:
    (project / "conf/flink-conf.yaml").write_text(CONF + "state.checkpoints.dir: s3://lake/checkpoints\n")
    assert found(project, "jobs/orders.py") == []


def test_the_search_for_the_rest_is_bounded(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(siblings, "MAX_FILES", 5)
    for number in range(30):
        (project / f"jobs/conf{number}.properties").write_text("bootstrap.servers=broker:9092\n")
    results = [
        result
        for result in check(Request((str(project / "jobs/orders.py"),), str(project), Settings(), rulebook.load())).results.values()
        if result.path == "jobs/orders.py"
    ]
    assert len(siblings.siblings(results, {result.path for result in results}, str(project), Settings())) == 5


def test_jobs_are_listed(project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(project)
    assert main(["jobs", "--no-cache"]) == 0
    shown = capsys.readouterr().out
    assert "the code" in shown and "execution.checkpointing.interval = 10000  (code, jobs/orders.py:4)" in shown
    assert main(["jobs", "--no-cache", "--format", "json"]) == 0
    (job,) = json.loads(capsys.readouterr().out)["jobs"]
    assert [file["path"] for file in job["files"]] == ["jobs/orders.py", "conf/flink-conf.yaml"]
    assert {setting["option"]: setting["origin"] for setting in job["engines"][0]["settings"]} == {
        "execution.checkpointing.interval": "code",
        "jobmanager.rpc.address": "cluster conf",
    }


def test_the_picture_marks_findings_and_trusts_no_name(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    script = """SET 'execution.checkpointing.interval' = '1 min';
CREATE TABLE orders (id INT) WITH ('connector' = 'kafka', 'topic' = '"]; click x "javascript:alert(1)', 'properties.bootstrap.servers' = 'b:9092', 'format' = 'json');
CREATE TABLE totals (n BIGINT) WITH ('connector' = 'print');
INSERT INTO totals SELECT COUNT(*) FROM orders;
"""
    (project / "jobs/totals.sql").write_text(script)
    monkeypatch.chdir(project)
    assert main(["jobs", "--no-cache", "--graph", "jobs/totals.sql"]) == 0
    picture = capsys.readouterr().out
    assert picture.startswith("flowchart LR\n")
    assert RULE in picture and "group-by" not in picture
    assert '"];' not in picture and "&quot;]; click" in picture


def test_a_job_is_concluded_again_only_when_one_of_its_files_changed(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHOAL_CACHE_DIR", str(with_rulebook(tmp_path / "cache")))
    for name in ("visits", "totals"):
        for folder in ("jobs", "conf"):
            (project / name / folder).mkdir(parents=True)
        (project / name / "pyproject.toml").write_text("")
        (project / name / "jobs/main.py").write_text(CODE)
        (project / name / "conf/flink-conf.yaml").write_text(CONF)
    concluded: list[str] = []
    real = core._concluded

    def spy(job: Job, *others: Any) -> Any:
        concluded.append(job.name)
        return real(job, *others)

    monkeypatch.setattr(core, "_concluded", spy)

    def run(cache: bool = True) -> tuple[list[str], Any]:
        concluded.clear()
        outcome = check(Request((str(project),), str(project), Settings(), rulebook.load(), cache=cache))
        return sorted(concluded), outcome.findings

    first, findings = run()
    assert "visits/jobs/main.py" in first and findings
    assert run() == ([], findings)
    (project / "visits/conf/flink-conf.yaml").write_text(CONF + "state.checkpoints.dir: s3://lake/checkpoints\n")
    again, changed = run()
    assert "visits/jobs/main.py" in again and not any(name.startswith(("totals", "jobs/")) for name in again)
    assert changed == run(cache=False)[1] != findings
    (memory,) = (tmp_path / "cache").glob("jobs-*.json")
    memory.write_text(memory.read_text().replace("[[[", "[[7,[["))
    assert run()[1] == changed


def test_the_picture_shows_what_is_known_of_operators(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "jobs/orders.py").write_text(
        """import json

from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.functions import KeyedProcessFunction
from pyflink.datastream.state import ValueStateDescriptor


class Total(KeyedProcessFunction):
    def open(self, context):
        self.total = context.get_state(ValueStateDescriptor("total", Types.LONG()))

    def process_element(self, value, ctx):
        yield json.loads(value)


env = StreamExecutionEnvironment.get_execution_environment()
env.enable_checkpointing(10_000)
env.from_collection(["{}"]).key_by(lambda value: value).process(Total()).print()
env.execute()
"""
    )
    monkeypatch.chdir(project)
    assert main(["jobs", "--no-cache", "--graph"]) == 0
    picture = capsys.readouterr().out
    assert "keeps ValueState" in picture
    assert "parses with loads<br/>⚠ poison-record-restarts-for-ever" in picture


CASES = Path(__file__).parents[2] / "rules"


@pytest.mark.parametrize(
    "case",
    [
        "jobs/checkpoint_dir_outside_volumes/cases/conf-in-image",
        "connectors/reads_uncommitted_transactions/cases/python-clients",
        "flink/at_least_once_mode_with_exactly_once_sink/cases/mode-in-conf",
        "spark/deprecated_spark_option/cases/workflow-of-dataproc",
    ],
)
def test_each_file_by_itself_is_told_what_the_audit_says_about_it(case: str, tmp_path: Path) -> None:
    root = tmp_path / "project"
    shutil.copytree(CASES / case, root)
    (root / ".git").mkdir()
    name = case.split("/")[1].replace("_", "-")
    own = rulebook.load().only(lambda rule: rule.id == name)

    def told(path: str) -> set[Any]:
        request = Request((str(root / path),), str(root), Settings(select=(name,)), own, cache=False)
        return {(finding.primary, finding.message, finding.confidence, finding.places) for finding in check(request).findings}

    whole = told(".")
    assert whole
    for file in [path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file()]:
        about = {finding for finding in whole if finding[0].path == file or any(p.path == file and p.role == "related" for p in finding[3])}
        assert told(file) == about
