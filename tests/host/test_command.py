"""The command line as a user meets it: every flag, exit code and output."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from shoal.rule_page import folded
from tests.host.conftest import BAD, GOOD, ONLY, RULE, Shoal, write


def test_clean_run_exits_0(shoal: Shoal, tmp_path: Path) -> None:
    write(tmp_path, {"conf/config.yaml": GOOD})
    done = shoal("check", *ONLY, "conf")
    assert done.code == 0 and "no findings" in done.out


def test_findings_exit_1_and_exit_zero_does_not(shoal: Shoal, tmp_path: Path) -> None:
    write(tmp_path, {"conf/config.yaml": BAD})
    assert shoal("check", *ONLY).code == 1
    done = shoal("check", *ONLY, "--exit-zero", "--format", "json")
    assert done.code == 0 and done.rules == [RULE]


def test_a_problem_exits_2_even_with_exit_zero_and_stands_in_every_format(shoal: Shoal, tmp_path: Path) -> None:
    write(tmp_path, {"conf/config.yaml": BAD})
    for name in ("text", "json", "sarif", "github", "gitlab", "junit", "markdown"):
        done = shoal("check", *ONLY, "--exit-zero", "--format", name, "conf", "gone.yaml")
        assert done.code == 2
        assert "gone.yaml" in done.out, name
        assert "gone.yaml" in done.out + done.err


def test_problems_go_to_standard_error(shoal: Shoal, tmp_path: Path) -> None:
    done = shoal("check", "gone.yaml", "--format", "json")
    assert done.code == 2 and "problem[unreadable]: gone.yaml" in done.err


@pytest.mark.parametrize(
    "arguments",
    [
        ("check", "--format", "nonsense"),
        ("check", "--format", "json,sarif"),
        ("check", "--select", "no-such-rule"),
        ("check", "-"),
        ("check", "--unsafe-fixes"),
        ("check", "-j", "0"),
        ("check", "--output", "/"),
        ("nonsense",),
        (),
    ],
)
def test_wrong_command_lines_exit_2(shoal: Shoal, tmp_path: Path, arguments: tuple[str, ...]) -> None:
    done = shoal(*arguments)
    assert done.code == 2 and done.err and "Traceback" not in done.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("check", "-j", "many"), "'many' is no number from 1 to 512"),
        (("audit", "diff", "old.json"), "shoal audit diff OLD.json NEW.json"),
        (("audit", "diff"), "shoal audit diff OLD.json NEW.json"),
        (("check", "--baseline", "other.json"), "other.json: not a baseline of shoal ("),
        (("check", "--baseline", "list.json"), "list.json: not a baseline of shoal ("),
    ],
)
def test_what_is_wrong_is_said_in_words(shoal: Shoal, tmp_path: Path, arguments: tuple[str, ...], said: str) -> None:
    write(tmp_path, {"other.json": "{}", "list.json": "[]"})
    done = shoal(*arguments)
    assert done.code == 2 and said in done.out + done.err


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="a folder in which nobody may write")
def test_what_cannot_be_written_is_called_by_its_own_name(shoal: Shoal, tmp_path: Path) -> None:
    write(tmp_path, {"conf/config.yaml": BAD})
    done = shoal("init", cwd=Path("/proc"))
    assert (done.code, done.err) == (2, "shoal: cannot write shoal.toml: No such file or directory\n")
    done = shoal("baseline", "--baseline", "/proc/known.json")
    assert done.code == 2 and "known.json: No such file or directory\n" in done.err


def test_facts_are_not_shown_under_settings_that_cannot_be_used(shoal: Shoal, tmp_path: Path) -> None:
    write(tmp_path, {"shoal.toml": "kindz = 1\n", "conf/config.yaml": BAD})
    done = shoal("facts", "conf/config.yaml")
    assert (done.code, done.out) == (2, "") and "did you mean kinds?" in done.err


def test_no_working_directory_and_no_standard_input(tmp_path: Path) -> None:
    for closing, arguments, code, said in (
        ("cd gone && rmdir ../gone", "check", 2, "the working directory cannot be used"),
        ("exec <&-", "check --stdin-filename config.yaml", 0, ""),
    ):
        (tmp_path / "gone").mkdir(exist_ok=True)
        command = ["sh", "-c", f'{closing}; exec "{sys.executable}" -m shoal {arguments}']
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == code and said in done.stderr and "mistake" not in done.stderr, done.stderr


def test_more_standard_input_than_is_read_is_said(shoal: Shoal) -> None:
    for command in ("check", "facts"):
        done = shoal(command, "-", "--stdin-filename", "config.yaml", stdin=b"flink: 1\n" * 300_000)
        assert done.code == 2 and "max-file-size" in done.err


def test_names_that_the_locale_cannot_write(shoal: Shoal, tmp_path: Path) -> None:
    write(tmp_path, {"größe/config.yaml": BAD, "日本/config.yaml": BAD})
    subprocess.run(["git", "init", "--quiet"], cwd=tmp_path, check=True)
    subprocess.run(
        ["git", "-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "--allow-empty", "-m", "empty"], cwd=tmp_path, check=True
    )
    plain = {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
    usual = shoal("check", *ONLY, "--changed-since", "HEAD", "--format", "json")
    for _ in range(2):  # the second run remembers the first
        done = shoal("check", *ONLY, "--changed-since", "HEAD", "--format", "json", environment=plain)
        assert done.code == 1, done.err
        assert done.report["findings"] == usual.report["findings"] and len(done.rules) == 2
    shown = shoal("check", *ONLY, "--format", "concise", environment=plain)
    assert "gr\\xf6\\xdfe/config.yaml" in shown.out  # what is printed stays in the encoding of the locale


def test_misspelt_rule_is_answered_with_the_right_one(shoal: Shoal) -> None:
    for arguments in (("check", "--select", "checkpoint-timeout-to-short"), ("explain", "checkpoint-timeout-to-short")):
        done = shoal(*arguments)
        assert done.code == 2 and RULE in done.err


def test_a_named_file_of_no_known_kind_is_said_to_be_skipped(shoal: Shoal, tmp_path: Path) -> None:
    write(tmp_path, {"notes.rst": "flink"})
    done = shoal("check", "notes.rst", "--format", "json")
    assert done.code == 0
    assert [(item["path"], item["reason"]) for item in done.report["left_out"]] == [("notes.rst", "not-read")]


def test_standard_input(shoal: Shoal, tmp_path: Path) -> None:
    done = shoal("check", *ONLY, "--format", "json", "--stdin-filename", "conf/config.yaml", stdin=BAD.encode())
    assert done.code == 1 and done.rules == [RULE]
    assert done.report["findings"][0]["places"][0]["path"] == "conf/config.yaml"
    assert shoal("check", *ONLY, "--stdin-filename", "conf/config.yaml", stdin=GOOD.encode()).code == 0
    assert shoal("check", *ONLY, "--stdin-filename", "conf/config.yaml", "-", stdin=BAD.encode()).code == 1


def test_several_reports_at_once(shoal: Shoal, tmp_path: Path) -> None:
    write(tmp_path, {"conf/config.yaml": BAD})
    done = shoal("check", *ONLY, "--format", "sarif", "--output", "a.sarif", "--format", "junit", "-o", "b.xml", "--format", "text")
    assert done.code == 1 and f"error[{RULE}]" in done.out
    assert json.loads((tmp_path / "a.sarif").read_text())["runs"][0]["results"]
    assert ElementTree.fromstring((tmp_path / "b.xml").read_text()).tag == "testsuites"
    shoal("check", *ONLY, "-o", "c.json")
    assert json.loads((tmp_path / "c.json").read_text())["version"] == 1


def test_severity_and_confidence_are_two_thresholds(shoal: Shoal, tmp_path: Path) -> None:
    write(tmp_path, {"conf/config.yaml": BAD, "soft/config.yaml": BAD.replace("1 s", "20 s"), "tests/config.yaml": BAD})
    everything = shoal("check", *ONLY, "--format", "json").report["findings"]
    assert sorted((f["places"][0]["path"], f["severity"], f["confidence"]) for f in everything) == [
        ("conf/config.yaml", "error", "high"),
        ("soft/config.yaml", "warning", "high"),
        ("tests/config.yaml", "error", "low"),
    ]
    assert len(shoal("check", *ONLY, "--format", "json", "--severity", "error").rules) == 2
    assert len(shoal("check", *ONLY, "--format", "json", "--confidence", "medium").rules) == 2
    done = shoal("check", *ONLY, "--format", "json", "--severity", "error", "--confidence", "high")
    assert len(done.rules) == 1 and done.code == 1
    assert shoal("check", *ONLY, "--severity", "error", "soft").code == 0


def test_select_and_ignore(shoal: Shoal, tmp_path: Path) -> None:
    write(tmp_path, {"conf/config.yaml": BAD})
    assert RULE in shoal("check", "--format", "json", "--select", "engine:flink").rules
    assert RULE in shoal("check", "--format", "json", "--select", "checkpoint-*").rules
    assert RULE in shoal("check", "--format", "json").rules
    assert RULE not in shoal("check", "--format", "json", "--ignore", f"engine:kafka,{RULE}").rules
    assert shoal("check", "--format", "json", "--select", "engine:flink", "--ignore", "engine:flink").rules == []


def test_statistics(shoal: Shoal, tmp_path: Path) -> None:
    write(tmp_path, {"a/config.yaml": BAD, "b/config.yaml": BAD})
    done = shoal("check", *ONLY, "--statistics")
    assert done.code == 1 and done.out.split() == ["2", RULE, "2", "in", "all"]
    assert json.loads(shoal("check", *ONLY, "--statistics", "--format", "json").out) == [{"rule": RULE, "findings": 2, "fixable": 0}]


def test_quiet_and_verbose(shoal: Shoal, tmp_path: Path) -> None:
    write(tmp_path, {"conf/config.yaml": GOOD, "node_modules/x/config.yaml": BAD})
    done = shoal("check", *ONLY, "-q")
    assert (done.code, done.out, done.err) == (0, "", "")
    assert "node_modules: vendored" in shoal("check", *ONLY, "-v").err


def test_colour_only_when_wanted(shoal: Shoal, tmp_path: Path) -> None:
    write(tmp_path, {"conf/config.yaml": BAD})
    assert "\x1b[" not in shoal("check", *ONLY).out
    assert "\x1b[" in shoal("check", *ONLY, "--color", "always").out
    assert "\x1b[" not in shoal("check", *ONLY, "--color", "never").out


def test_audit_sums_up(shoal: Shoal, tmp_path: Path) -> None:
    write(tmp_path, {"a/config.yaml": BAD, "b/config.yaml": BAD})
    done = shoal("audit", *ONLY)
    assert done.code == 1
    for title in ("By rule", "By engine", "By folder", "2 findings"):
        assert title in done.out
    assert shoal("audit", *ONLY, "--format", "json", "a").rules == [RULE]


def test_rules_lists_and_selects(shoal: Shoal) -> None:
    done = shoal("rules")
    assert done.code == 0 and RULE in done.out
    entries = json.loads(shoal("rules", "--format", "json", "--select", "engine:flink").out)["rules"]
    assert RULE in {entry["id"] for entry in entries} and all("flink" in entry["engines"] for entry in entries)


def test_explain_shows_the_page_with_options_and_without_test_marks(shoal: Shoal) -> None:
    done = shoal("explain", RULE)
    assert done.code == 0
    assert f"# {RULE}" in done.out and "## Options" in done.out and "`warn-below`" in done.out
    assert "# expect:" not in done.out and "```yaml bad" not in done.out
    assert "\x1b[" in shoal("explain", RULE, "--color", "always").out


def test_explain_shows_a_few_examples_and_all_of_them_when_asked(shoal: Shoal) -> None:
    few, whole = (shoal("explain", *more, "producer-not-flushed").out for more in ((), ("--all",)))
    assert few.count("```python") == 6 and whole.count("```python") > 12
    assert few.count(" more: `shoal explain --all producer-not-flushed`)") == 2
    for title in ("What it finds", "Why it hurts", "Bad", "Good", "How to fix", "When to ignore"):
        assert few.count(f"## {title}") == whole.count(f"## {title}") == 1


def test_what_a_fix_makes_of_an_example_stays_beside_it() -> None:
    fence = "```yaml {0}\na: {1}\n```\n\n"
    bad = "".join(f"Why {number}:\n\n" + fence.format("bad", number) + fence.format("fixed", number) for number in range(5))
    text = f"# id\n\n## Bad\n{bad}## Good\n{fence.format('good', 9)}## How to fix\nSo.\n"
    rest = []
    shown = folded(text, lambda part, number: rest.append((part, number)) or "(more)")
    assert "a: 2\n```\n\n(more)\n\n## Good\n" in shown and "Why 3" not in shown and shown.count("fixed") == 3
    [(part, number)] = rest
    assert number == 2 and part.startswith("Why 3:") and part.count("fixed") == 2 and "## Good" not in part


def test_facts_say_what_was_read_and_where(shoal: Shoal, tmp_path: Path) -> None:
    write(tmp_path, {"conf/config.yaml": BAD.replace("60 s", "${INTERVAL}"), "plain.yaml": "a: 1\n"})
    done = shoal("facts", "conf/config.yaml")
    assert done.code == 0
    assert "4:14  execution.checkpointing.timeout = 1 s" in done.out
    assert "execution.checkpointing.interval = unknown (${INTERVAL})" in done.out
    facts = json.loads(shoal("facts", "--format", "json", "conf/config.yaml").out)["facts"]
    timeout = next(fact for fact in facts if fact.get("key", "").endswith("timeout"))
    assert (timeout["value"], timeout["known"], timeout["value_span"]["start"]) == (
        "1 s",
        True,
        {"line": 4, "column": 14, "offset": BAD.index("1 s") + 7},
    )
    assert "no rule looks at it" in shoal("facts", "plain.yaml").out
    assert shoal("facts", "gone.yaml").code == 2
    assert shoal("facts", "-", "--stdin-filename", "conf/config.yaml", stdin=BAD.encode()).code == 0


def test_init_writes_settings_that_are_valid_and_refuses_to_overwrite(shoal: Shoal, tmp_path: Path) -> None:
    write(tmp_path, {"conf/config.yaml": GOOD})
    assert shoal("init").code == 0
    lines = (tmp_path / "shoal.toml").read_text().splitlines()
    shown = [line.removeprefix("# ") for line in lines if line.startswith("# ") and (" = " in line or line.startswith(("# [", '# "')))]
    (tmp_path / "shoal.toml").write_text("\n".join(line for line in shown if "rule-" not in line and "baseline" not in line))
    assert shoal("check", *ONLY).code == 0, "what the comments show must be right"
    assert shoal("init").code == 2


def test_init_adds_a_section_to_pyproject(shoal: Shoal, tmp_path: Path) -> None:
    write(tmp_path, {"pyproject.toml": '[project]\nname = "x"', "conf/config.yaml": GOOD})
    assert shoal("init", "--pyproject").code == 0
    text = (tmp_path / "pyproject.toml").read_text()
    assert text.startswith('[project]\nname = "x"\n') and "[tool.shoal]" in text
    assert shoal("check", *ONLY, "conf").code == 0
    assert shoal("init", "--pyproject").code == 2


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "tcsh"])
def test_completion_knows_the_commands(shoal: Shoal, shell: str) -> None:
    done = shoal("completion", shell)
    assert done.code == 0 and "audit" in done.out and "baseline" in done.out


def test_paths_are_those_the_user_would_type(shoal: Shoal, tmp_path: Path) -> None:
    write(tmp_path, {"shoal.toml": "", "a/conf/config.yaml": BAD, "a/b/x.txt": ""})
    for folder, shown in (("a", "conf/config.yaml"), ("a/conf", "config.yaml"), ("a/b", "../conf/config.yaml")):
        report = shoal("check", *ONLY, "--format", "json", tmp_path / "a", cwd=tmp_path / folder).report
        assert report["findings"][0]["places"][0]["path"] == shown
    below = shoal("check", *ONLY, "--format", "json", tmp_path.name, cwd=tmp_path.parent).report
    assert below["findings"][0]["places"][0]["path"] == f"{tmp_path.name}/a/conf/config.yaml"


def test_fingerprints_do_not_depend_on_the_working_directory(shoal: Shoal, tmp_path: Path) -> None:
    write(tmp_path, {"shoal.toml": "", "a/conf/config.yaml": BAD})
    reports = [shoal("check", *ONLY, "--format", "json", tmp_path, cwd=cwd).report for cwd in (tmp_path, tmp_path / "a", tmp_path.parent)]
    assert len({report["findings"][0]["fingerprint"] for report in reports}) == 1


def test_output_that_cannot_be_written_is_one_line_and_exit_2(shoal: Shoal, tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text(BAD)
    for arguments in (("--output", tmp_path / "no" / "report.txt"), ("--output", tmp_path)):
        ran = shoal("check", *arguments, ".")
        assert ran.code == 2 and len(ran.err.strip().splitlines()) == 1
    with open("/dev/full", "w") as full:
        done = subprocess.run([sys.executable, "-m", "shoal", "check", "."], cwd=tmp_path, stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 2 and "No space left" in done.stderr and "Traceback" not in done.stderr


def test_a_closed_output_changes_no_exit_code(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text(BAD)
    for closed, code in ((">&-", 1), (">&- 2>&-", 1), (">&- 2>&- --config no.toml", 2)):
        done = subprocess.run(f'"{sys.executable}" -m shoal check . {closed}', shell=True, cwd=tmp_path, stderr=subprocess.PIPE, text=True)
        assert (done.returncode, done.stderr) == (code, "")


@pytest.mark.parametrize(
    ("arguments", "code"), [("rules", 0), ("rules --format json", 0), ("facts config.yaml", 0), ("jobs", 0), ("check", 2)]
)
def test_who_reads_the_beginning_alone_has_what_was_wanted(tmp_path: Path, arguments: str, code: int) -> None:
    """But for a report, which is then not all that was found."""
    (tmp_path / "config.yaml").write_text(BAD)
    read, write_end = os.pipe()
    os.close(read)
    done = subprocess.run(
        [sys.executable, "-m", "shoal", *arguments.split()], cwd=tmp_path, stdout=write_end, stderr=subprocess.PIPE, text=True
    )
    os.close(write_end)
    assert (done.returncode, done.stderr) == (code, "")


def test_everything_is_written_before_the_process_ends(tmp_path: Path) -> None:
    write(tmp_path, {f"conf-{number}/config.yaml": BAD for number in range(300)})
    done = subprocess.run([sys.executable, "-m", "shoal", "check", *ONLY, "."], cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (1, "")
    assert len(done.stdout) > 65_536 and done.stdout.rstrip().splitlines()[-1].startswith("300 findings")


CHART = {
    "chart/Chart.yaml": "name: orders\n",
    "chart/values.yaml": "flink:\n  timeout: 500ms\n  memory: 2048Mi\n  state: rocksdb\n",
    "chart/values-prod.yaml": "flink:\n  timeout: 10 min\n",
    "chart/templates/orders.yaml": """apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
metadata:
  name: orders
spec:
  flinkVersion: v1_19
  flinkConfiguration:
    execution.checkpointing.interval: 1 mins
    execution.checkpointing.timeout: {{ .Values.flink.timeout | quote }}
    jobmanager.memory.process.size: {{ .Values.flink.memory }}
    state.backend.type: {{ .Values.flink.state }}
    high-availability.type: {{ .Values.ha.type | default "k8s" }}
""",
}


def test_rules_over_a_file_see_the_values_of_its_chart(shoal: Shoal, tmp_path: Path) -> None:
    write(tmp_path, CHART)
    rules = ("--select", "checkpoint-timeout-too-short,invalid-memory-size,invalid-duration,invalid-high-availability-type")
    for _ in range(2):  # found out, and remembered
        found = {
            finding["rule"]: [(place["path"], place["start"]["line"]) for place in finding["places"] if place["role"] != "covers"]
            for finding in shoal("check", *rules, "--format", "json").report["findings"]
        }
        assert found == {
            "checkpoint-timeout-too-short": [("chart/templates/orders.yaml", 9), ("chart/values.yaml", 2)],
            "invalid-memory-size": [("chart/templates/orders.yaml", 10), ("chart/values.yaml", 3)],
            "invalid-duration": [("chart/templates/orders.yaml", 8)],
            "invalid-high-availability-type": [("chart/templates/orders.yaml", 12)],  # the template's own default: no values file has one
        }
    shoal("check", *rules, "--fix")
    assert ".Values.flink.timeout | quote" in (tmp_path / "chart/templates/orders.yaml").read_text()


BROKERS = {
    "chart/Chart.yaml": "name: brokers\n",
    "chart/values.yaml": "kafka:\n  replicas: 3\n  insync: 1\n  unclean: true\n",
    "chart/values-dev.yaml": "kafka:\n  unclean: false\n",
    "chart/templates/kafka.yaml": """apiVersion: kafka.strimzi.io/v1
kind: Kafka
metadata:
  name: {{ .Release.Name }}
spec:
  kafka:
    replicas: {{ .Values.kafka.replicas }}
    config:
      default.replication.factor: {{ .Values.kafka.replicas }}
      min.insync.replicas: {{ .Values.kafka.insync }}
      unclean.leader.election.enable: {{ .Values.kafka.unclean }}
""",
}


def test_a_template_that_belongs_to_no_job_is_filled_as_well(shoal: Shoal, tmp_path: Path) -> None:
    write(tmp_path, BROKERS)
    rules = ("--select", "min-insync-replicas-of-one,unclean-leader-election")
    found = {
        finding["rule"]: [(place["path"], place["start"]["line"]) for place in finding["places"] if place["role"] != "covers"]
        for finding in shoal("check", *rules, "--format", "json").report["findings"]
    }
    template, values = "chart/templates/kafka.yaml", "chart/values.yaml"
    assert found == {
        "min-insync-replicas-of-one": [(template, 10), (template, 9), (values, 3), (values, 2)],
        "unclean-leader-election": [(template, 11), (values, 4)],  # not of the environment that turns it off
    }
