"""Fixes on disk: minimal, checked before they are written, and done with after one run."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.fixes import edited
from shoal.model import Edit, Span
from tests.host.conftest import BAD, GOOD, RULE, Shoal, write

# Rules with every kind of fix, as a user would bring them.
RULES = {
    "slow_timeout": """
        if setting.text == "1 s":
            yield context.finding("too short", setting, fixes=[context.replace(setting, "10 min", "set it to 10 min", "safe")])
""",
    "risky_interval": """
        if setting.text == "60 s":
            yield context.finding("too often", setting, fixes=[context.replace(setting, "5 min", "set it to 5 min", "unsafe")])
""",
    "breaks_file": """
        if setting.text == "BREAK":
            yield context.finding("x", setting, fixes=[context.replace(setting, "[ {", "break it", "safe")])
""",
    "changes_nothing": """
        if setting.text in ("STAYS", "STAYS2"):
            yield context.finding("x", setting, fixes=[context.replace(setting, "STAYS2", "no use", "safe")])
""",
    "ping_pong": """
        if setting.text in ("PING", "PONG"):
            yield context.finding("x", setting, fixes=[context.replace(setting, "PONG" if setting.text == "PING" else "PING", "go", "safe")])
""",
    "other_timeout": """
        if setting.text == "1 s":
            yield context.finding("y", setting, fixes=[context.replace(setting, "20 min", "set it to 20 min", "safe")])
""",
    "adds_line": """
        if setting.text == "ADD":
            yield context.finding("z", setting, fixes=[context.replace(setting, "ADDED\\n    min-pause: 7 s", "add a line", "safe")])
""",
}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name, body in RULES.items():
        rule = f"id: {name.replace('_', '-')}\nsummary: For the tests of fixes only\nseverity: error\nconfidence: high\nengines: [flink]\nfix: safe\n"
        check = f"def check(job, context):\n    for setting in job.settings:{body}"
        write(tmp_path / ".rules", {f"own/{name}/rule.yaml": rule, f"own/{name}/check.py": check})
    return tmp_path


def fix(shoal: Shoal, *arguments: str, rules: str = "slow-timeout") -> tuple[int, str, str]:
    return shoal("check", "--rules", ".rules", "--select", rules, *arguments)


def test_safe_fixes_are_written_and_a_second_run_changes_nothing(shoal: Shoal, tree: Path) -> None:
    write(tree, {"conf/config.yaml": BAD})
    code, out, err = fix(shoal, "--fix", rules="slow-timeout,risky-interval")
    assert code == 1 and "fixed 1 finding in 1 file" in err and "risky-interval" in out
    assert (tree / "conf/config.yaml").read_text() == GOOD
    before = (tree / "conf/config.yaml").stat()
    code, out, err = fix(shoal, "--fix")
    assert code == 0 and "fixed" not in err
    assert (tree / "conf/config.yaml").stat().st_mtime_ns == before.st_mtime_ns


def test_unsafe_fixes_only_when_asked_for(shoal: Shoal, tree: Path) -> None:
    write(tree, {"conf/config.yaml": BAD})
    assert fix(shoal, "--fix", "--unsafe-fixes", rules="slow-timeout,risky-interval")[0] == 0
    assert (tree / "conf/config.yaml").read_text() == GOOD.replace("60 s", "5 min")


def test_diff_writes_nothing_and_can_be_applied(shoal: Shoal, tree: Path) -> None:
    write(tree, {"conf/config.yaml": BAD, "sub/config.yaml": BAD.rstrip("\n")})
    code, out, err = fix(shoal, "--diff")
    assert code == 1 and "would fix 2 findings in 2 files" in err
    assert (tree / "conf/config.yaml").read_text() == BAD
    done = subprocess.run(["git", "apply", "-"], input=out, text=True, cwd=tree, capture_output=True, timeout=30)
    assert done.returncode == 0, done.stderr
    assert (tree / "conf/config.yaml").read_text() == GOOD and (tree / "sub/config.yaml").read_text() == GOOD.rstrip("\n")
    assert fix(shoal, "--diff") == (0, "", "shoal: would fix 0 findings in 0 files\n")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (BAD.replace("\n", "\r\n").encode(), GOOD.replace("\n", "\r\n").encode()),
        (b"\xef\xbb\xbf" + BAD.encode(), b"\xef\xbb\xbf" + GOOD.encode()),
        (BAD.encode("utf-16"), GOOD.encode("utf-16")),
        (BAD.replace("tiny", "schön 😀").encode(), GOOD.replace("tiny", "schön 😀").encode()),
        (BAD.rstrip("\n").encode(), GOOD.rstrip("\n").encode()),
        (BAD.replace("1 s", '"1 s"').encode(), GOOD.replace("10 min", '"10 min"').encode()),
    ],
)
def test_bytes_around_a_fix_stay_as_they_are(shoal: Shoal, tree: Path, before: bytes, after: bytes) -> None:
    write(tree, {"conf/config.yaml": before})
    assert fix(shoal, "--fix")[0] == 0
    assert (tree / "conf/config.yaml").read_bytes() == after


def test_new_lines_end_as_the_others_do(shoal: Shoal, tree: Path) -> None:
    write(tree, {"conf/config.yaml": BAD.replace("60 s", "ADD").replace("\n", "\r\n")})
    assert fix(shoal, "--fix", rules="adds-line")[0] == 0
    text = (tree / "conf/config.yaml").read_bytes()
    assert b"ADDED\r\n    min-pause: 7 s\r\n" in text and text.count(b"\n") == text.count(b"\r\n")


def test_a_file_with_bytes_that_did_not_decode_is_left_alone(shoal: Shoal, tree: Path) -> None:
    text = BAD.encode() + b"# caf\xe9\n"
    write(tree, {"conf/config.yaml": text})
    assert fix(shoal, "--fix")[0] == 2
    assert (tree / "conf/config.yaml").read_bytes() == text


def test_rights_are_kept(shoal: Shoal, tree: Path) -> None:
    write(tree, {"conf/config.yaml": BAD})
    (tree / "conf/config.yaml").chmod(0o751)
    fix(shoal, "--fix")
    assert (tree / "conf/config.yaml").stat().st_mode & 0o777 == 0o751
    assert os.listdir(tree / "conf") == ["config.yaml"]


def test_links_are_written_through_inside_the_project_only(shoal: Shoal, tree: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    other = tmp_path_factory.mktemp("other")
    write(other, {"config.yaml": BAD})
    write(tree, {"shoal.toml": "", "real/config.yaml": BAD})
    for name, target in (("in.yaml", tree / "real/config.yaml"), ("out.yaml", other / "config.yaml")):
        (tree / "conf").mkdir(exist_ok=True)
        (tree / "conf" / name).symlink_to(target)
    code, out, _ = fix(shoal, "--fix", "conf/out.yaml")
    assert code == 2 and "leads out of the project" in out and (other / "config.yaml").read_text() == BAD
    assert fix(shoal, "--fix", "conf/in.yaml")[0] == 0
    assert (tree / "conf/in.yaml").is_symlink() and (tree / "real/config.yaml").read_text() == GOOD


@pytest.mark.parametrize(("rule", "word"), [("breaks-file", "BREAK"), ("changes-nothing", "STAYS"), ("ping-pong", "PING")])
def test_a_fix_that_does_not_hold_is_not_written_and_the_others_are(shoal: Shoal, tree: Path, rule: str, word: str) -> None:
    text = BAD.replace("60 s", word)
    write(tree, {"conf/config.yaml": text})
    code, _, err = fix(shoal, "--fix", rules=f"{rule},slow-timeout")
    assert code == 1 and f"the fix for {rule} was not kept" in err
    assert (tree / "conf/config.yaml").read_text() == text.replace("1 s", "10 min")


def test_of_fixes_that_overlap_one_is_applied(shoal: Shoal, tree: Path) -> None:
    write(tree, {"conf/config.yaml": BAD})
    assert fix(shoal, "--fix", rules="other-timeout,slow-timeout")[0] == 0
    assert (tree / "conf/config.yaml").read_text() in (GOOD, GOOD.replace("10 min", "20 min"))


def test_standard_input_comes_out_fixed(shoal: Shoal, tree: Path) -> None:
    done = shoal(
        "check", "--rules", ".rules", "--select", "slow-timeout", "--fix", "--stdin-filename", "conf/config.yaml", stdin=BAD.encode()
    )
    assert (done.code, done.out) == (0, GOOD)
    assert shoal("check", "--select", RULE, "--fix", "--stdin-filename", "conf/config.yaml", stdin=GOOD.encode()).out == GOOD
    done = shoal(
        "check", "--select", RULE, "--fix", "--stdin-filename", "conf/config.yaml", "--format", "text", "--format", "json", "-o", "left.json",
        stdin=BAD.encode(),
    )  # fmt: skip
    assert (done.code, done.out) == (1, BAD) and f"error[{RULE}]" in done.err  # what is left is said beside the text
    assert json.loads((tree / "left.json").read_text())["summary"]["open"] == 1
    done = shoal(
        "check", "--rules", ".rules", "--select", "slow-timeout", "--diff", "--stdin-filename", "conf/config.yaml", stdin=BAD.encode()
    )
    assert done.code == 1 and "+    timeout: 10 min # tiny" in done.out


def test_baselined_and_suppressed_findings_are_not_fixed(shoal: Shoal, tree: Path) -> None:
    text = BAD.replace("# tiny", "# shoal: ignore[slow-timeout] on purpose")
    write(tree, {"conf/config.yaml": text})
    assert fix(shoal, "--fix")[0] == 0
    assert (tree / "conf/config.yaml").read_text() == text


def test_unused_suppressions_are_removed(shoal: Shoal, tmp_path: Path) -> None:
    stale = GOOD.replace("# tiny", f"# shoal: ignore[{RULE}] was short once")
    alone = GOOD.replace("    timeout", f"    # shoal: ignore[{RULE}] was short once\n    timeout")
    write(
        tmp_path, {"a/config.yaml": stale, "b/config.yaml": alone, "c/config.yaml": BAD.replace("tiny", f"shoal: ignore[{RULE}] load test")}
    )
    done = shoal("check", "--select", f"{RULE},unused-suppression", "--fix")
    assert done.code == 0, done.out
    assert (tmp_path / "a/config.yaml").read_text() == GOOD.replace(" # tiny", "")
    assert (tmp_path / "b/config.yaml").read_text() == GOOD
    assert "ignore" in (tmp_path / "c/config.yaml").read_text()


def test_a_suppression_is_not_called_unused_when_its_rule_was_not_run(shoal: Shoal, tmp_path: Path) -> None:
    write(tmp_path, {"a/config.yaml": GOOD.replace("tiny", f"shoal: ignore[{RULE}] x"), "shoal.toml": ""})
    assert shoal("check", "--select", "unused-suppression").code == 0
    assert shoal("check", "--format", "json", "--select", f"{RULE},unused-suppression").rules == ["unused-suppression"]
    write(tmp_path, {"shoal.toml": f'[[overrides]]\npaths = ["a/"]\nignore = ["{RULE}"]\n'})
    assert shoal("check", "--select", f"{RULE},unused-suppression").code == 0


@given(st.text(max_size=60), st.data())
def test_edits_change_their_spans_and_nothing_else(text: str, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=6, unique=True)))
    spans = list(zip(cuts[::2], cuts[1::2], strict=False))
    edits = [Edit("x", Span(start, end), "") for start, end in spans]
    kept = "".join(char for at, char in enumerate(text) if not any(start <= at < end for start, end in spans))
    assert edited(text, edits) == kept
    assert edited(text, [edit._replace(new_text=text[edit.span.start : edit.span.end]) for edit in edits if "\n" not in text]) == text
