"""Input made to break a linter: each gives a clear problem in bounded time, and the rest of the run goes on."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import NoReturn

import pytest

from shoal.cli import main
from tests.host.conftest import BAD, ONLY, RULE, Ran, Shoal, write

FORMATS = ("text", "json", "sarif", "github", "gitlab", "junit", "markdown")


@pytest.fixture
def beside(tmp_path: Path) -> Path:
    """A folder with one ordinary finding, which must be reported whatever else is there."""
    write(tmp_path, {"conf/config.yaml": BAD})
    return tmp_path


def goes_on(done: Ran) -> bool:
    return RULE in [finding["rule"] for finding in done.report["findings"] if finding["places"][0]["path"] == "conf/config.yaml"]


def test_alias_bomb(shoal: Shoal, beside: Path) -> None:
    lines = ["flinkConfiguration: &a0 {execution.checkpointing.timeout: 1 s}"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 30)]
    merges = ["flink: &m0 {x: 1}", *(f"m{n}: &m{n} {{<<: [{', '.join([f'*m{n - 1}'] * 10)}], k{n}: 1}}" for n in range(1, 30))]
    write(beside, {"bomb.yaml": "\n".join(lines) + "\n", "merges.yaml": "\n".join(merges) + "\n"})
    assert goes_on(shoal("check", *ONLY, "--format", "json"))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("deep.yaml", "flink: " + "[" * 10_000 + "]" * 10_000),
        ("deep2.yaml", "flink: 1\na:\n" + "".join(" " * n + "- \n" for n in range(1, 1500))),
        ("deep.json", '{"flink": ' + "[" * 100_000 + "]" * 100_000 + "}"),
        ("deep.sql", "SET 'flink' = '1'; SELECT " + "(" * 10_000 + "1" + ")" * 10_000 + " FROM flink;"),
        ("deep.properties", "bootstrap.servers=kafka\\\n" * 20_000),
        ("deep.sh", "flink run " + "$(" * 10_000 + ")" * 10_000),
        ("pom.xml", "<project>flink" + "<a>" * 50_000),
    ],
)
def test_nesting_without_end(shoal: Shoal, beside: Path, name: str, text: str) -> None:
    write(beside, {name: text})
    done = shoal("check", *ONLY, "--format", "json")
    assert goes_on(done) and "Traceback" not in done.err
    assert {problem["kind"] for problem in done.report["problems"]} <= {"too-deep", "unparsable", "too-large"}, done.err


def test_billion_laughs(shoal: Shoal, beside: Path) -> None:
    entities = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 20))
    write(
        beside,
        {"pom.xml": f'<?xml version="1.0"?><!DOCTYPE project [<!ENTITY l0 "flink">{entities}]><project><name>&l19;</name></project>'},
    )
    assert goes_on(shoal("check", *ONLY, "--format", "json"))


def test_a_hundred_megabytes(shoal: Shoal, beside: Path) -> None:
    with open(beside / "huge.yaml", "wb") as file:
        file.write(b"flink: 1\n")
        file.truncate(100_000_000)
    done = shoal("check", *ONLY, "--format", "json")
    assert goes_on(done) and done.code == 1
    assert [(item["path"], item["reason"]) for item in done.report["left_out"]] == [("huge.yaml", "too-large")]
    named = shoal("check", *ONLY, "huge.yaml")
    assert named.code == 2 and "100 MB" in named.out
    with open(beside / "huge.yaml", "rb") as file:
        piped = subprocess.run(
            [sys.executable, "-m", "shoal", "check", "--stdin-filename", "x.yaml"], stdin=file, cwd=beside, capture_output=True, timeout=60
        )
    assert piped.returncode == 2


def test_links_pipes_and_folders_that_look_like_files(shoal: Shoal, beside: Path) -> None:
    (beside / "loop").symlink_to(beside)
    (beside / "a.yaml").symlink_to("b.yaml")
    (beside / "b.yaml").symlink_to("a.yaml")
    (beside / "dangling.yaml").symlink_to("nowhere")
    (beside / "dir.yaml").mkdir()
    os.mkfifo(beside / "pipe.yaml")
    done = shoal("check", *ONLY, "--format", "json")
    assert goes_on(done) and done.code == 1
    assert {item["path"] for item in done.report["left_out"]} == {"a.yaml", "b.yaml", "dangling.yaml", "pipe.yaml"}
    for name in ("a.yaml", "dangling.yaml", "pipe.yaml", "/dev/zero"):
        named = shoal("check", *ONLY, "--format", "json", name, "conf")
        assert goes_on(named) and named.code == 2 and [problem["kind"] for problem in named.report["problems"]] == ["unreadable"]


def test_a_file_that_cannot_be_read(shoal: Shoal, beside: Path) -> None:
    # Root may read everything, so rights do not do here: reading this one fails for everybody.
    named = shoal("check", *ONLY, "--format", "json", "conf", "/proc/self/mem", cwd=beside)
    assert named.code == 0 or named.code == 1  # no kind: not even opened
    write(beside, {"shoal.toml": '[kinds]\n"mem" = "yaml"\n'})
    done = shoal("check", *ONLY, "--format", "json", "conf", "/proc/self/mem")
    assert done.code == 2 and done.report["problems"][0]["kind"] == "unreadable"


def test_rights_are_respected(shoal: Shoal, beside: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may read everything")
    write(beside, {"secret.yaml": "flink: 1", "closed/x.yaml": "flink: 1"})
    (beside / "secret.yaml").chmod(0)
    (beside / "closed").chmod(0)
    done = shoal("check", *ONLY, "--format", "json")
    (beside / "closed").chmod(0o700)
    assert goes_on(done) and done.code == 2
    assert [(problem["path"], problem["kind"]) for problem in done.report["problems"]] == [
        ("closed", "unreadable"),
        ("secret.yaml", "unreadable"),
    ]


NAMES = [
    "new\nline/config.yaml",
    "esc\x1b[31m/config.yaml",
    "a::error file=x::b/config.yaml",
    "-rf/config.yaml",
    "%0A::error::x/config.yaml",
    "<script>&\"'/config.yaml",
]


@pytest.mark.parametrize("name", NAMES)
def test_names_that_are_made_to_be_printed(shoal: Shoal, tmp_path: Path, name: str) -> None:
    write(tmp_path, {name: BAD})
    for form in FORMATS:
        done = shoal("check", *ONLY, "--format", form)
        assert done.code == 1, done.err
        assert "\x1b" not in done.out + done.err
        if form == "github":
            assert [line[:2] for line in done.out.splitlines() if line.startswith("::")] == ["::"] and done.out.count("::error file=x") == 0
    assert shoal("check", *ONLY, "--format", "json").report["findings"][0]["places"][0]["path"] == name
    assert shoal("check", *ONLY, "--", tmp_path / name).code == 1
    problems = shoal("check", *ONLY, f"{name}.gone")
    assert problems.code == 2 and "\x1b" not in problems.out + problems.err


def test_names_that_are_not_text(shoal: Shoal, tmp_path: Path) -> None:
    folder = os.fsencode(tmp_path) + b"/\xff\xfe"
    os.mkdir(folder)
    Path(os.fsdecode(folder), "config.yaml").write_text(BAD)
    for form in FORMATS:
        for extra in ((), ("-o", "report")):
            assert shoal("check", *ONLY, "--format", form, *extra).code == 1
    assert len(json.loads(shoal("check", *ONLY, "--format", "json", environment={"LC_ALL": "C", "PYTHONUTF8": "0"}).out)["findings"]) == 1


def test_broken_text(shoal: Shoal, beside: Path) -> None:
    write(
        beside,
        {
            "nul/config.yaml": BAD.replace("tiny", "ti\0ny"),
            "utf16/config.yaml": BAD.encode("utf-16"),
            "bom/config.yaml": b"\xef\xbb\xbf" + BAD.encode(),
            "latin/config.yaml": b"# caf\xe9 flink\n" + BAD.encode(),
            "binary.yaml": b"flink" + bytes(range(256)) * 20,
            "empty.yaml": b"",
        },
    )
    done = shoal("check", *ONLY, "--format", "json")
    assert goes_on(done)
    found = {finding["places"][0]["path"] for finding in done.report["findings"]}
    assert {"utf16/config.yaml", "bom/config.yaml"} <= found
    assert ("binary.yaml", "binary") in {(item["path"], item["reason"]) for item in done.report["left_out"]}
    assert [problem["path"] for problem in done.report["problems"] if problem["kind"] == "unreadable"] == ["latin/config.yaml"]


def test_generated_files_are_left_out_unless_they_are_named(shoal: Shoal, beside: Path) -> None:
    write(beside, {"out/config.yaml": "# Code generated by mkconf. DO NOT EDIT.\n" + BAD, "out2/config.yaml": "# @generated\n" + BAD})
    done = shoal("check", *ONLY, "--format", "json")
    assert len(done.rules) == 1 and {item["reason"] for item in done.report["left_out"]} == {"generated"}
    assert shoal("check", *ONLY, "--format", "json", "out/config.yaml").rules == [RULE]


def test_a_hostile_repository_cannot_start_programs(shoal: Shoal, beside: Path) -> None:
    write(
        beside,
        {
            ".git/config": "[core]\n\tfsmonitor = touch ran\n\tpager = touch ran\n",
            ".git/HEAD": "ref: refs/heads/main\n",
            "sitecustomize.py": "open('ran', 'w')",
        },
    )
    write(beside, {"ruamel/__init__.py": "open('ran', 'w')", "shoal.toml": 'rule-packages = ["../../x"]\n'})
    shoal("check", *ONLY)
    done = subprocess.run(
        ["shoal", "check"], cwd=beside, capture_output=True, timeout=60, env={**os.environ, "PATH": os.path.dirname(sys.executable)}
    )
    assert done.returncode == 2 and not (beside / "ran").exists()


KILLER = """\
import os, signal
def check(job, context):
    for setting in job.settings:
        if setting.text == "KILL":
            os.kill(os.getpid(), signal.SIGKILL)
        if setting.text == "SEGV":
            os.kill(os.getpid(), signal.SIGSEGV)
        if setting.text == "HANG":
            while True:
                pass
        if setting.text == "EAT":
            b"x" * (1 << 34)
        if setting.text == "RAISE":
            raise ValueError("no")
        if setting.text == "EXIT":
            raise SystemExit(0)
        if setting.text == "ODD":
            yield "not a finding"
        if setting.key.endswith("timeout") and setting.text == "1 s":
            yield context.finding("found", setting)
"""
KILLER_RULE = "id: own-killer\nsummary: Ends the process that runs it\nseverity: error\nconfidence: high\nengines: [flink]\n"


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_worker_that_dies_or_hangs_costs_its_file_alone(shoal: Shoal, tmp_path: Path, workers: str) -> None:
    write(tmp_path, {f"ok{n:03}/config.yaml": BAD for n in range(60)})
    write(
        tmp_path,
        {f"{what}/config.yaml": BAD.replace("60 s", what.upper()) for what in ("kill", "segv", "hang", "eat", "raise", "exit", "odd")},
    )
    write(
        tmp_path,
        {"shoal.toml": "timeout = 1.5\n", ".rules/own/own_killer/rule.yaml": KILLER_RULE, ".rules/own/own_killer/check.py": KILLER},
    )
    done = shoal("check", "--rules", ".rules", "--select", "own-killer", "--format", "json", "-j", workers)
    assert done.code == 2
    assert len(done.rules) == 60
    problems = {problem["path"].partition("/")[0]: problem for problem in done.report["problems"]}
    assert {path: problem["kind"] for path, problem in problems.items()} == {
        "kill": "worker-died",
        "segv": "worker-died",
        "hang": "timed-out",
        "eat": "rule-crashed",
        "raise": "rule-crashed",
        "exit": "rule-crashed",
        "odd": "rule-crashed",
    }
    assert problems["odd"]["message"].endswith("'not a finding' is no finding")
    assert problems["raise"]["help"].endswith("own_killer, or ignore the rule")  # it is not shoal's, so nothing to report
    assert "SIGKILL" in problems["kill"]["message"] and "SIGSEGV" in problems["segv"]["message"]


def test_a_rule_that_hangs_is_given_up_in_a_small_run_too(shoal: Shoal, tmp_path: Path) -> None:
    write(tmp_path, {"conf/config.yaml": BAD.replace("60 s", "HANG"), "shoal.toml": "timeout = 0.5\n"})
    write(tmp_path, {".rules/own/own_killer/rule.yaml": KILLER_RULE, ".rules/own/own_killer/check.py": KILLER})
    done = shoal("check", "--rules", ".rules", "--select", "own-killer", "--format", "json", "conf")
    assert done.code == 2 and [problem["kind"] for problem in done.report["problems"]] == ["timed-out"]


def test_a_rule_that_ends_python_when_it_is_loaded_ends_nothing(shoal: Shoal, tmp_path: Path) -> None:
    write(tmp_path, {"conf/config.yaml": BAD, "more/own/own_killer/rule.yaml": KILLER_RULE, "more/own/own_killer/check.py": "exit(0)\n"})
    done = shoal("check", "--rules", "more", "--select", f"own-killer,{RULE}", "--format", "json", "conf")
    assert done.code == 2 and done.rules == [RULE]
    assert [problem["kind"] for problem in done.report["problems"]] == ["rule-failed-to-load"]


def test_a_selected_rule_that_does_not_load_is_told_why(shoal: Shoal, tmp_path: Path) -> None:
    write(tmp_path, {"more/own/own_killer/rule.yaml": KILLER_RULE.replace("error", "fatal"), "more/own/own_killer/check.py": KILLER})
    for arguments in (("check", "--select", "own-killer"), ("explain", "own-killer")):
        done = shoal(*arguments, "--rules", "more")
        assert done.code == 2 and "own_killer/rule.yaml:3: " in done.err and "no rule is called 'own-killer'" in done.err


def test_files_that_cannot_be_grouped_into_jobs_cost_their_jobs_alone(
    beside: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """No input is known on which grouping fails, so one mistake in it is made here."""

    def fails(*arguments: object) -> NoReturn:
        raise IndexError("a mistake")

    monkeypatch.chdir(beside)
    monkeypatch.setattr("shoal.jobs.find.Finder.clusters", fails)
    write(beside, {"flink-conf.yaml": "execution.checkpointing.timeout: 1 s\n"})
    assert main(["audit", "--no-cache", "--format", "json"]) == 2
    out, err = capsys.readouterr()
    report = json.loads(out)
    assert [problem["kind"] for problem in report["problems"]] == ["grouping-crashed"] and "IndexError: a mistake" in err
    assert {finding["places"][0]["path"] for finding in report["findings"]} >= {"conf/config.yaml", "flink-conf.yaml"}


def _peak(folder: Path) -> int:
    """Bytes that the largest process of a check takes; asked of a small process, since what is forked counts as large as what forks it."""
    code = (
        "import resource, subprocess, sys; code = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode; "
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss); sys.exit(code)"
    )
    command = [sys.executable, "-c", code, sys.executable, "-m", "shoal", "check", *ONLY, "-j", "2", "--no-cache", "."]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)
    assert done.returncode in (0, 2), done.stderr
    return int(done.stdout) * (1 if sys.platform == "darwin" else 1024)


def test_memory_stays_bounded(tmp_path: Path) -> None:
    text = ("flink: x\n" + "k: [" + "a, " * 20 + "]\n") * 2 + "# x\n" * 100_000
    write(tmp_path / "few", {f"{n}/big.yaml": text for n in range(4)})
    write(tmp_path / "many", {f"{n}/big.yaml": text for n in range(80)})
    few, many = _peak(tmp_path / "few"), _peak(tmp_path / "many")
    assert many - few < 10 * len(text), f"{many - few:,} bytes more for 76 files of {len(text):,}"


def test_stopping_leaves_nothing_behind(tmp_path: Path) -> None:
    write(tmp_path, {f"{n}/config.yaml": BAD.replace("60 s", "HANG") for n in range(300)})
    write(
        tmp_path,
        {
            ".rules/own/own_killer/rule.yaml": KILLER_RULE,
            ".rules/own/own_killer/check.py": KILLER.replace("while", 'open("began", "w")\n            while'),
        },
    )
    command = [sys.executable, "-m", "shoal", "check", "--rules", ".rules", "--select", "own-killer", "-j", "2", "--no-cache"]
    command = ["env", "--default-signal=INT", *command]  # a shell ignores it for what it runs in the background, these tests among it
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True) as running:
        try:
            while not (tmp_path / "began").exists():
                assert running.poll() is None
            os.killpg(running.pid, signal.SIGINT)
            _, err = running.communicate(timeout=30)
        finally:
            if running.poll() is None:
                os.killpg(running.pid, signal.SIGKILL)
    assert running.returncode == 130 and err == b"shoal: stopped\n"
    with pytest.raises(ProcessLookupError):
        os.killpg(running.pid, 0)


def test_rules_of_a_hostile_repository(shoal: Shoal, beside: Path) -> None:
    head = "id: own-rule\nsummary: A rule that is made to break us\nseverity: error\nconfidence: high\nengines: [flink]\nuse: setting-forbidden\n"
    bomb = "\n".join(["tags: &a0 [x]", *(f"x{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 12))])
    write(
        beside,
        {
            "shoal.toml": 'rule-paths = ["lint", "nowhere"]\n',
            "lint/own/own_rule/rule.yaml": head + "with: {keys: [x], message: x}\n" + bomb + "\n",
            "lint/own/deep_rule/rule.yaml": "id: " + "[" * 20_000,
            "lint/own/bytes_rule/rule.yaml": b"id: \xff\n",
            "lint/own/big_rule/rule.yaml": "#" * 3_000_000,
            "lint/own/half_rule/check.py": "",
            "lint/own/left_over/__pycache__/check.pyc": b"",  # what git leaves of a rule that is no more
        },
    )
    (beside / "lint/own/pipe_rule").mkdir()
    os.mkfifo(beside / "lint/own/pipe_rule/rule.yaml")
    (beside / "lint/own/loop_rule").symlink_to("loop_rule")
    done = shoal("check", *ONLY, "--format", "json")
    assert goes_on(done) and done.code == 2
    failed = {problem["path"].split("/")[-2] for problem in done.report["problems"] if problem["kind"] == "rule-failed-to-load"}
    assert failed >= {"own_rule", "deep_rule", "bytes_rule", "big_rule", "pipe_rule", "half_rule"} and "left_over" not in failed
