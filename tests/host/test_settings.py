"""Settings files: what they say is done, and what is wrong in them is said with its line."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from shoal import rulebook, settings_file
from shoal.settings import Settings
from tests.host.conftest import BAD, RULE, Shoal, write


def check(shoal: Shoal, *arguments: str) -> list[tuple[str, str, str]]:
    done = shoal("check", "--format", "json", *arguments)
    assert done.code in (0, 1), done.err
    return [(f["places"][0]["path"], f["severity"], f["confidence"]) for f in done.report["findings"] if f["rule"] == RULE]


@pytest.mark.parametrize("name", ["shoal.toml", "pyproject.toml"])
def test_settings_are_found_above_the_paths(shoal: Shoal, tmp_path: Path, name: str) -> None:
    section = "tool.shoal." if name == "pyproject.toml" else ""
    write(tmp_path, {name: f'[{section}rules.{RULE}]\nseverity = "info"\n', "a/conf/config.yaml": BAD})
    assert check(shoal, "a/conf") == [("a/conf/config.yaml", "info", "high")]


def test_a_pyproject_without_our_section_does_not_end_the_search(shoal: Shoal, tmp_path: Path) -> None:
    write(tmp_path, {"shoal.toml": f'ignore = ["{RULE}"]', "a/pyproject.toml": "[project]\n", "a/conf/config.yaml": BAD})
    assert check(shoal, "a/conf/config.yaml") == []


def test_the_search_ends_at_the_top_of_the_repository(shoal: Shoal, tmp_path: Path) -> None:
    write(tmp_path, {"shoal.toml": f'ignore = ["{RULE}"]', "a/.git/HEAD": "", "a/conf/config.yaml": BAD})
    assert len(check(shoal, "a")) == 1


def test_options_and_thresholds(shoal: Shoal, tmp_path: Path) -> None:
    write(tmp_path, {"shoal.toml": f'severity = "error"\n[rules.{RULE}]\nerror-below = "500 ms"\n', "conf/config.yaml": BAD})
    assert check(shoal) == []
    assert check(shoal, "--severity", "info") == [("conf/config.yaml", "warning", "high")]


def test_overrides(shoal: Shoal, tmp_path: Path) -> None:
    settings = f"""
[[overrides]]
paths = ["dev/"]
ignore = ["checkpoint-*"]
[[overrides]]
paths = ["dev/strict/**"]
select = ["{RULE}"]
rules.{RULE} = {{severity = "info"}}
[[overrides]]
paths = ["*.lax.yaml"]
confidence = "high"
severity = "error"
rules.{RULE}.error-below = "100 ms"
"""
    files = {"shoal.toml": settings}
    files |= {
        f"{path}.yaml": BAD.replace("execution", "flinkConfiguration", 0) for path in ("prod/config", "dev/config", "dev/strict/config")
    }
    write(tmp_path, {**files, "prod/flink-conf.lax.yaml": "execution.checkpointing.timeout: 1 s\n"})
    assert check(shoal) == [("dev/strict/config.yaml", "info", "high"), ("prod/config.yaml", "error", "high")]


def test_extend(shoal: Shoal, tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "base.toml": f'ignore = ["{RULE}"]\nexclude = ["skip/"]',
            "shoal.toml": 'extend = "base.toml"\nignore = []\n',
            "conf/config.yaml": BAD,
            "skip/config.yaml": BAD,
        },
    )
    assert check(shoal) == [("conf/config.yaml", "error", "high")]
    write(tmp_path, {"base.toml": 'extend = "shoal.toml"'})
    done = shoal("check")
    assert done.code == 2 and "circle" in done.out


def test_config_names_another_file(shoal: Shoal, tmp_path: Path) -> None:
    write(tmp_path, {"shoal.toml": "nonsense", "other.toml": f'ignore = ["{RULE}"]', "conf/config.yaml": BAD})
    assert check(shoal, "--config", "other.toml") == []
    assert shoal("check", "--config", "gone.toml").code == 2


def test_kinds_name_files_that_their_names_do_not(shoal: Shoal, tmp_path: Path) -> None:
    write(tmp_path, {"shoal.toml": '[kinds]\n"*.cfg" = "flink-conf"\n', "conf/prod.cfg": "execution.checkpointing.timeout: 1 s\n"})
    assert check(shoal) == [("conf/prod.cfg", "error", "high")]


def test_max_file_size_and_exclude_and_include(shoal: Shoal, tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "shoal.toml": 'max-file-size = "1 kB"\nexclude = ["old/"]\ninclude = ["vendor/ours/"]\n',
            "big/config.yaml": BAD + "#" * 2000,
            "old/config.yaml": BAD,
            "vendor/ours/config.yaml": BAD,
            "vendor/theirs/config.yaml": BAD,
        },
    )
    assert [path for path, _, _ in check(shoal)] == ["vendor/ours/config.yaml"]
    assert [path for path, _, _ in check(shoal, "old/config.yaml")] == ["old/config.yaml"]
    assert check(shoal, "--force-exclude", "old/config.yaml") == []
    assert shoal("check", "big/config.yaml").code == 2
    assert shoal("check", "--force-exclude", "big/config.yaml").code == 0


def test_test_resources_are_hints_and_the_list_can_be_changed(shoal: Shoal, tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "shoal.toml": "",
            "benchmarks/config.yaml": BAD,
            "docs/docs_src/config.yaml": BAD,
            "e2e-tests/data/config.yaml": BAD,
            "qa/config.yaml": BAD,
        },
    )
    assert [confidence for _, _, confidence in check(shoal)] == ["low", "low", "low", "high"]
    write(tmp_path, {"shoal.toml": 'test-paths = ["qa/"]'})
    assert [confidence for _, _, confidence in check(shoal)] == ["high", "high", "high", "low"]


def test_what_holds_with_a_test_alone_is_a_hint(shoal: Shoal, tmp_path: Path) -> None:
    conf = "execution.checkpointing.interval: 1 min\nexecution.checkpointing.min-pause: 1 min\n"
    script = "SET 'execution.checkpointing.interval' = '3s';\nCREATE TABLE t (i INT) WITH ('connector' = 'datagen');\nINSERT INTO t SELECT i FROM t;\n"
    for folder, confidence in (("test", "low"), ("main", "high")):
        names = {"pom.xml": "<project/>", "src/main/resources/flink-conf.yaml": conf, f"src/{folder}/resources/job.sql": script}
        write(tmp_path / folder, names)
        report = shoal("check", "--format", "json", folder).report
        rule = "min-pause-exceeds-checkpoint-interval"
        assert [f["confidence"] for f in report["findings"] if f["rule"] == rule] == [confidence], folder


def test_test_modules_are_hints_wherever_they_stand(shoal: Shoal, tmp_path: Path) -> None:
    job = "from kafka import KafkaConsumer\nconsumer = KafkaConsumer('t', group_id='g')\nwhile True:\n    consumer.poll(1.0)\n"
    names = ["job.py", "test_job.py", "job_test.py", "conftest.py", "contest.py", "latest_job.py"]
    write(tmp_path, {f"app/{name}": job for name in names})
    found = {f["places"][0]["path"]: f["confidence"] for f in shoal("check", "--format", "json").report["findings"]}
    assert {path.removeprefix("app/") for path, confidence in found.items() if confidence == "low"} == {
        "test_job.py",
        "job_test.py",
        "conftest.py",
    }


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ('selct = ["x"]\n', 1, "did you mean select"),
        ('\n[rules.checkpoint-timeout-to-short]\nseverity = "info"\n', 2, f"did you mean {RULE}"),
        (f'[rules.{RULE}]\nwarn-belo = "1 s"\n', 2, "did you mean warn-below"),
        ('# x\nignore = [\n  "checkpoint-timeout-to-short",\n]\n', 3, f"did you mean {RULE}"),
        ('\nseverity = "fatal"\n', 2, "fatal"),
        ("[[overrides]]\npaths = 3\n", 2, "3 is not of type"),
        ("select = [\n", 0, "TOML"),
        ("select = 2020-01-01\n", 1, "select"),
        (f"[rules.{RULE}]\nwarn-below = 30\n", 2, "30 is not of type"),
        (f'[rules.{RULE}]\nwarn-below = "30 secnds"\n', 2, "'30 secnds' cannot be used here (the default is '30 s')"),
        ('[rules.deprecated-option]\nassumed-version = "new"\n', 2, "(the default is '1.18')"),
        ('\nmax-file-size = "2 XB"\n', 2, "'2 XB' cannot be used here (the default is '2 MB')"),
        ("timeout = inf\n", 1, "timeout: inf is greater than"),
        ("timeout = nan\n", 1, "timeout: nan is not of type 'number'"),
        ('[tool.shoal]\nselect = ["all"]\n', 1, "a shoal.toml holds the settings themselves"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(shoal: Shoal, tmp_path: Path, text: str, line: int, said: str) -> None:
    write(tmp_path, {"shoal.toml": text, "conf/config.yaml": BAD})
    for _ in range(2):  # the second run must not remember the first as good
        done = shoal("check", "--format", "json")
        assert done.code == 2
        (problem,) = done.report["problems"]
        assert (problem["path"], problem["kind"]) == ("shoal.toml", "settings")
        assert line in (0, problem["line"])
        assert said in f"{problem['message']} ({problem['help']})"
        assert done.report["findings"] == []


def test_valid_settings_are_read_the_same_when_they_are_remembered(shoal: Shoal, tmp_path: Path) -> None:
    write(tmp_path, {"shoal.toml": f'[rules.{RULE}]\nseverity = "info"\n', "conf/config.yaml": BAD})
    assert check(shoal) == check(shoal) == check(shoal, "--no-cache") == [("conf/config.yaml", "info", "high")]


def test_the_published_schema_knows_every_field_and_option() -> None:
    book = rulebook.load()
    schema = settings_file.schema(book)
    jsonschema.Draft202012Validator.check_schema(schema)
    assert set(schema["properties"]["rules"]["properties"]) == {rule.id for rule in book}
    assert {name.replace("-", "_") for name in schema["properties"]} - {"extend"} == set(Settings._fields) - {
        "assume"
    }  # `shoal upgrade` sets it, no file
    assert json.loads(json.dumps(schema)) == schema


def test_rule_folders_of_the_settings_run_no_code(shoal: Shoal, tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "shoal.toml": 'rule-paths = ["lint"]\n',
            "lint/own/evil_rule/rule.yaml": "id: evil-rule\nsummary: Runs what the repository says\nseverity: error\nconfidence: high\nengines: [flink]\n",
            "lint/own/evil_rule/check.py": "open('ran', 'w')\ndef check(job, context):\n    yield from ()\n",
            "conf/config.yaml": BAD,
        },
    )
    done = shoal("check", "--format", "json")
    assert done.code == 2 and not (tmp_path / "ran").exists()
    assert [problem["kind"] for problem in done.report["problems"]] == ["rule-failed-to-load"]
    write(tmp_path, {"shoal.toml": ""})
    assert shoal("check", "--rules", "lint", "--select", "evil-rule").code == 0
    assert (tmp_path / "ran").exists()


def test_yaml_rules_of_the_settings_are_run(shoal: Shoal, tmp_path: Path) -> None:
    rule = """\
id: our-parallelism
summary: Parallelism above what our cluster has
severity: error
confidence: high
engines: [flink]
use: setting-forbidden
with:
  engine: flink
  keys: [execution.checkpointing.timeout]
  message: "we never set it"
"""
    write(tmp_path, {"shoal.toml": 'rule-paths = ["lint"]\n', "lint/own/our_parallelism/rule.yaml": rule, "conf/config.yaml": BAD})
    done = shoal("check", "--format", "json", "--select", "our-parallelism")
    assert done.code == 1 and done.rules == ["our-parallelism"], done.err


def test_a_rule_for_an_engine_that_there_is_not_is_refused(shoal: Shoal, tmp_path: Path) -> None:
    rule = "id: our-rule\nsummary: What we never set\nseverity: error\nconfidence: high\nengines: [flink]\nuse: setting-forbidden\n"
    rule += "with:\n  engine: flnk\n  keys: [execution.checkpointing.timeout]\n  message: we never set it\n"
    write(tmp_path, {"lint/own/our_rule/rule.yaml": rule, "conf/config.yaml": BAD})
    done = shoal("check", "--format", "json", "--rules", "lint")
    (problem,) = done.report["problems"]
    assert done.code == 2 and problem["kind"] == "rule-failed-to-load"
    assert "'flnk' is not one of ['flink'" in problem["message"]


def test_a_rule_that_fails_to_load_is_a_problem(shoal: Shoal, tmp_path: Path) -> None:
    rule = "id: broken-rule\nsummary: Cannot be loaded at all\nseverity: error\nconfidence: high\nengines: [flink]\n"
    write(
        tmp_path,
        {
            "lint/own/broken_rule/rule.yaml": rule,
            "lint/own/broken_rule/check.py": "import nothing_of_that_name\n",
            "lint/own/bad_yaml/rule.yaml": "id: [",
            "conf/config.yaml": BAD,
        },
    )
    done = shoal("check", "--format", "json", "--rules", "lint")
    assert done.code == 2
    assert {problem["kind"] for problem in done.report["problems"]} == {"rule-failed-to-load"}
    assert len(done.report["problems"]) == 2 and RULE in done.rules
