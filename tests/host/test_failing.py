"""`--fail-on`: which findings make a run exit with 1; and SARIF in several files."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from shoal import failing
from shoal.report import Run
from shoal.report.sarif import parts
from tests.host.conftest import BAD, ONLY, Shoal, write
from tests.report.conftest import everything
from tests.report.test_html import many


@pytest.mark.parametrize(
    ("policy", "code"),
    [("error", 1), ("error:high", 1), ("warning", 1), ("info:medium,error", 1), ("never", 0)],
)
def test_the_policy_decides_the_exit_code(shoal: Shoal, tmp_path: Path, policy: str, code: int) -> None:
    """The finding is an error of high confidence."""
    write(tmp_path, {"conf/config.yaml": BAD})
    done = shoal("check", *ONLY, "--fail-on", policy)
    assert done.code == code and "checkpoint-timeout-too-short" in done.out
    assert (f"1 of 1 findings meet fail-on {policy}" in done.err) == bool(code)


def test_lighter_findings_do_not_fail_but_are_shown(shoal: Shoal, tmp_path: Path) -> None:
    write(tmp_path, {"tests/config.yaml": BAD})  # in test resources confidence is low
    assert shoal("audit", *ONLY, "--fail-on", "error:medium").code == 0
    assert shoal("audit", *ONLY, "--fail-on", "error:low").code == 1
    write(tmp_path, {"shoal.toml": 'fail-on = ["error:medium"]\n'})
    assert shoal("audit", *ONLY).code == 0
    assert shoal("audit", *ONLY, "--fail-on", "error").code == 1
    write(tmp_path, {"shoal.toml": 'fail-on = ["errors"]\n'})
    assert shoal("audit", *ONLY).code == 2


def test_new_is_measured_by_an_earlier_run_or_a_baseline(shoal: Shoal, tmp_path: Path) -> None:
    write(tmp_path, {"a/config.yaml": BAD})
    shoal("audit", *ONLY, "--format", "json", "--output", "old.json")
    shoal("baseline", *ONLY, "--baseline", "known.json")
    for earlier in ("old.json", "known.json"):
        done = shoal("check", *ONLY, "--fail-on", "new", "--against", earlier, "a")
        assert done.code == 0 and "checkpoint-timeout-too-short" in done.out
    write(tmp_path, {"b/config.yaml": BAD})
    done = shoal("check", *ONLY, "--fail-on", "new:error:high", "--against", "old.json", "a", "b")
    assert done.code == 1 and "1 of 2 findings" in done.err


def test_problems_fail_whatever_the_policy(shoal: Shoal, tmp_path: Path) -> None:
    assert shoal("check", "--fail-on", "never", "gone.yaml").code == 2


@pytest.mark.parametrize(
    "arguments",
    [
        ("--fail-on", "errors"),
        ("--fail-on", "error:sure"),
        ("--fail-on", "error:high:new"),
        ("--fail-on", ""),
        ("--fail-on", "new"),
        ("--against", "old.json"),
        ("--fail-on", "new", "--against", "gone.json"),
        ("--fail-on", "new", "--against", "config.yaml"),
        ("--fail-on", "error", "--exit-zero"),
    ],
)
def test_what_makes_no_sense_is_said_before_anything_is_checked(shoal: Shoal, tmp_path: Path, arguments: tuple[str, ...]) -> None:
    write(tmp_path, {"config.yaml": BAD, "old.json": '{"version": 1, "findings": []}'})
    done = shoal("check", *arguments)
    if arguments == ("--fail-on", ""):
        assert done.code == 1  # as if it were not there
    else:
        assert done.code == 2 and done.err.startswith("shoal: ") and not done.out and "Traceback" not in done.err


def test_conditions() -> None:
    assert failing.parse("never") == ()
    assert failing.parse("error:high, new:warning") == (
        failing.Condition("error", "high", False),
        failing.Condition("warning", "low", True),
    )


@pytest.fixture
def large() -> Run:
    return many(everything(), 12_001)


def test_sarif_is_split_where_code_scanning_would_not_show_all(large: Run) -> None:
    documents = [json.loads(text)["runs"] for text in parts(large)]
    assert [len(runs) for runs in documents] == [1, 1, 1]
    assert [len(runs[0]["results"]) for runs in documents] == [5_000, 5_000, 2_001]
    assert [runs[0].get("automationDetails", {}).get("id") for runs in documents] == [None, "shoal-2/", "shoal-3/"]
    prints = [result["partialFingerprints"]["shoal/v1"] for runs in documents for result in runs[0]["results"]]
    assert prints == [finding.fingerprint for finding in large.findings]
    assert [len(runs[0]["invocations"][0]["toolExecutionNotifications"]) for runs in documents] == [5, 0, 0]


def test_sarif_is_split_by_its_compressed_size(large: Run) -> None:
    limit = 30_000
    texts = parts(large._replace(findings=large.findings[:2_000]), size=limit)
    assert len(texts) > 1 and sum(len(json.loads(text)["runs"][0]["results"]) for text in texts) == 2_000
    assert all(len(gzip.compress(text.encode())) <= limit for text in texts)


def test_sarif_parts_stand_beside_each_other(shoal: Shoal, tmp_path: Path) -> None:
    document = "apiVersion: flink.apache.org/v1beta1\nkind: FlinkDeployment\nmetadata:\n  name: j{0}\nspec:\n  flinkConfiguration:\n    execution.checkpointing.timeout: 1 s\n"
    write(tmp_path, {f"{number}.yaml": "---\n".join(document.format(each) for each in range(130)) for number in range(40)})
    (tmp_path / "out").mkdir()
    done = shoal("audit", *ONLY, "--format", "sarif", "-o", "out/shoal.sarif", "--format", "json", "-o", "all.json")
    assert done.code == 1, done.err
    counts = {path.name: len(json.loads(path.read_text())["runs"][0]["results"]) for path in (tmp_path / "out").iterdir()}
    assert counts == {"shoal.sarif": 5_000, "shoal-2.sarif": 200}
    whole = shoal("audit", *ONLY, "--format", "sarif")
    assert len(json.loads(whole.out)["runs"][0]["results"]) == 5_200 and whole.code == 1
    assert "this is more (5,200 results); with --output FILE it is split into 2 files" in whole.err
    assert not shoal("audit", *ONLY, "--format", "sarif", "0.yaml").err


def test_what_is_called_a_template_need_not_be_well_formed(shoal: Shoal, tmp_path: Path) -> None:
    """A script fills it in; its other documents are read."""
    job = "apiVersion: batch/v1\nkind: Job\nspec:\n  args: [flink, -Dexecution.checkpointing.timeout=5s, ${ARGUMENTS}]\n  a: [\n"
    write(tmp_path, {"job.yaml.template": job, "job.yaml": job, "connector.json.tmpl": '{"connector.class": ${CLASS}}'})
    done = shoal("check", "--format", "json")
    assert done.code == 2
    assert [problem["path"] for problem in done.report["problems"]] == ["job.yaml"]
    assert {item["path"]: item["reason"] for item in done.report["left_out"]} == {
        "job.yaml.template": "template",
        "connector.json.tmpl": "template",
    }


def test_python_that_a_template_engine_fills_in_need_not_parse(shoal: Shoal, tmp_path: Path) -> None:
    job = "from kafka import KafkaProducer\n"
    write(
        tmp_path,
        {
            "producer.py.tmpl": job + "class {{name}}(Base):\n    pass\n",
            "cookie/job.py": job + "class {{ cookiecutter.name }}:\n    pass\n",
            "loop.py": job + "{% for topic in topics %}\nx = 1\n{% endfor %}\n",
            "broken.py": job + 'print(f"{{x}}"\n',
            "named.py": job + "name = '{{ cookiecutter.name }}'\n",
        },
    )
    done = shoal("check", "--format", "json")
    assert done.code == 2
    assert [problem["path"] for problem in done.report["problems"]] == ["broken.py"]
    assert {item["path"]: item["reason"] for item in done.report["left_out"]} == dict.fromkeys(
        ("producer.py.tmpl", "cookie/job.py", "loop.py"), "template"
    )
