"""What the editor shows: the right places, for the right version, gone when fixed, and a server that lives through everything."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.server.client import Editor, at
from tests.server.conftest import BAD, GOOD, PYTHON, RULE, SETTINGS, Start


def test_opening_shows_and_fixing_clears(editor: Editor, workspace: Path) -> None:
    path = workspace / "a" / "config.yaml"
    path.parent.mkdir()
    path.write_text(BAD)
    uri = editor.open(path)
    (found,) = editor.until(uri, RULE, version=1)
    assert found["range"] == at(3, 13, 16) and found["severity"] == 1 and found["source"] == "shoal"
    assert found["codeDescription"]["href"].endswith("checkpoint_timeout_too_short/rule.md")
    version = editor.edit(uri, {"range": at(3, 13, 16), "text": "10 min"})
    assert editor.until(uri, version=version) == []
    editor.edit(uri, {"range": at(3, 13, 19), "text": "1 s"})
    editor.until(uri, RULE)
    editor.shut(uri)
    assert editor.until(uri) == []


def test_the_same_findings_as_the_command(editor: Editor, workspace: Path, cache: dict[str, str]) -> None:
    path = workspace / "same" / "job.py"
    path.parent.mkdir()
    path.write_text(PYTHON)
    done = subprocess.run(
        [sys.executable, "-m", "shoal", "check", "--format", "json", str(path)], cwd=workspace, capture_output=True, timeout=60
    )
    said = json.loads(done.stdout)["findings"]
    found = editor.until(editor.open(path), RULE)
    assert [(item["code"], item["data"]["fingerprint"]) for item in found] == [(item["rule"], item["fingerprint"]) for item in said]


@pytest.mark.parametrize("encoding, column", [("utf-8", 6), ("utf-16", 3), ("utf-32", 2)])
def test_columns_are_counted_as_the_editor_counts(start: Start, tmp_path: Path, encoding: str, column: int) -> None:
    (tmp_path / "shoal.toml").write_text(SETTINGS)
    editor = start(tmp_path, encodings=(encoding,))
    assert editor.capabilities["positionEncoding"] == encoding
    call = "env.get_checkpoint_config().set_checkpoint_timeout("
    text = PYTHON.replace("env.get_check", "'é😀'; env.get_check").replace("\n", "\r\n").replace("60000)", "60000)  # \u2028 ends no line")
    uri = editor.open(tmp_path / "job.py", text)
    (found,) = editor.until(uri, RULE)
    before = column + len("''; " + call)
    assert found["range"] == at(3, before, before + 3)
    # what stands before the emoji goes, then the value behind it changes: both counted in the editor's units
    accent = column - {"utf-8": 4, "utf-16": 2, "utf-32": 1}[encoding]
    after = {"start": {"line": 3, "character": before - accent}, "end": {"line": 3, "character": before - accent + 3}}
    version = editor.edit(uri, {"range": at(3, 1, 1 + accent), "text": ""}, {"range": after, "text": "700"})
    (found,) = editor.until(uri, RULE, version=version)
    assert found["range"] == after and "700 ms" in found["message"]
    assert editor.close() == 0


def test_stale_texts_are_not_shown(editor: Editor, workspace: Path) -> None:
    uri = editor.open(workspace / "typing.yaml", GOOD)
    for _ in range(40):
        editor.edit(uri, {"range": at(3, 0), "text": " "})
        editor.edit(uri, {"range": at(3, 0, 1), "text": ""})
    last = editor.edit(uri, {"text": BAD})
    editor.until(uri, RULE, version=last)
    versions = [said["version"] for said in editor.published[uri]]
    assert versions == sorted(versions) and len(versions) < 40


def test_suppressed_and_baselined_findings_are_not_shown(start: Start, tmp_path: Path) -> None:
    (tmp_path / "shoal.toml").write_text(SETTINGS + 'baseline = ".shoal-baseline.json"\n')
    known, silenced = tmp_path / "known" / "config.yaml", tmp_path / "silenced" / "config.yaml"
    for path in (known, silenced):
        path.parent.mkdir()
        path.write_text(BAD)
    subprocess.run([sys.executable, "-m", "shoal", "baseline", "known"], cwd=tmp_path, capture_output=True, timeout=60, check=True)
    editor = start(tmp_path)
    assert editor.until(editor.open(known)) == []
    uri = editor.open(silenced, BAD.replace("tiny", f"shoal: ignore[{RULE}] a test"))
    assert editor.until(uri) == []
    editor.edit(uri, {"text": GOOD.replace("tiny", f"shoal: ignore[{RULE}] a test")})
    editor.until(uri, "unused-suppression")


def test_settings_are_read_again_and_their_mistakes_shown(start: Start, tmp_path: Path) -> None:
    settings = tmp_path / "shoal.toml"
    settings.write_text(SETTINGS)
    editor = start(tmp_path)
    uri = editor.open(tmp_path / "config.yaml", BAD)
    editor.until(uri, RULE)
    settings.write_text('select = ["unused-suppression"]\n')
    editor.changed(settings)
    assert editor.until(uri) == []
    settings.write_text(SETTINGS + "\nselekt = 1\n")
    editor.changed(settings)
    (wrong,) = editor.until(settings.as_uri(), "settings")
    assert "selekt" in wrong["message"] and wrong["range"]["start"]["line"] == 2
    settings.write_text(SETTINGS)
    editor.changed(settings)
    assert editor.until(settings.as_uri()) == []
    editor.until(uri, RULE)


def test_mistakes_of_settings_that_are_gone_are_taken_back(start: Start, tmp_path: Path) -> None:
    settings = tmp_path / "shoal.toml"
    settings.write_text("selekt = 1\n")
    editor = start(tmp_path)
    editor.until(editor.open(tmp_path / "config.yaml", "a: b\n"))
    editor.until(settings.as_uri(), "settings")
    settings.unlink()
    editor.changed(settings, kind=3)
    assert editor.until(settings.as_uri()) == []


def test_a_baseline_that_cannot_be_read_is_said_where_it_is_named(start: Start, tmp_path: Path) -> None:
    settings, known = tmp_path / "shoal.toml", tmp_path / "known.json"
    settings.write_text(SETTINGS + 'baseline = "known.json"\n')
    editor = start(tmp_path)
    uri = editor.open(tmp_path / "config.yaml", BAD)
    (wrong,) = editor.until(settings.as_uri(), "settings")
    assert "known.json" in wrong["message"] and wrong["range"]["start"]["line"] == 1
    editor.until(uri, RULE)
    known.write_text('{"version": 1, "findings": []}')
    editor.changed(known, kind=1)
    assert editor.until(settings.as_uri()) == []
    known.write_text("no baseline")
    editor.changed(known)
    (wrong,) = editor.until(settings.as_uri(), "settings")
    assert "not a baseline" in wrong["message"]


def test_each_workspace_folder_has_its_own_settings(start: Start, tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    for folder, settings in ((one, SETTINGS), (two, 'ignore = ["all"]\n')):
        folder.mkdir()
        (folder / "shoal.toml").write_text(settings)
    editor = start(one, two)
    editor.until(editor.open(one / "config.yaml", BAD), RULE)
    quiet = editor.open(two / "config.yaml", BAD)
    assert editor.until(quiet) == []
    event = {"added": [], "removed": [{"uri": one.as_uri(), "name": "one"}]}
    editor.notify("workspace/didChangeWorkspaceFolders", {"event": event})
    editor.until(editor.open(one / "again.yaml", BAD), RULE)


def test_a_folder_that_is_not_trusted_brings_no_rules(start: Start, tmp_path: Path) -> None:
    rule = tmp_path / "rules" / "own" / "made_up"
    rule.mkdir(parents=True)
    (rule / "check.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\ndef check(job, context): return ()\n")
    (tmp_path / "shoal.toml").write_text('rule-paths = ["rules"]\nselect = ["all"]\n')
    for name in ("typing", "re", "libcst", "shoal", "pygls", "sitecustomize"):
        (tmp_path / f"{name}.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n")
    editor = start(tmp_path, options={"trusted": False})
    uri = editor.open(tmp_path / "job.py", PYTHON)
    editor.until(uri, RULE, without=("rule-failed-to-load",))
    assert not (tmp_path / "ran").exists()
    assert editor.close() == 0


@pytest.mark.parametrize(
    "name, text, problem",
    [
        ("broken.yaml", "flink: [\n", "unparsable"),
        ("broken.py", "import pyflink\ndef (:\n", "unparsable"),
        ("deep.py", "import pyflink\nx = " + "(" * 3000 + ")" * 3000 + "\n", "too-deep"),
        ("deep.yaml", "flink: " + "[" * 5000 + "\n", "too-deep"),
    ],
)
def test_what_cannot_be_read_is_a_problem_and_no_more(editor: Editor, workspace: Path, name: str, text: str, problem: str) -> None:
    uri = editor.open(workspace / name, text)
    editor.until(uri, problem)
    editor.edit(uri, {"text": "x = 1\n" if name.endswith("py") else "x: 1\n"})
    assert editor.until(uri) == []


def test_odd_messages_do_not_stop_the_server(editor: Editor, workspace: Path) -> None:
    editor.notify("textDocument/didChange", {"textDocument": {"uri": "file:///nowhere", "version": 1}, "contentChanges": [{"text": ""}]})
    editor.notify("textDocument/didClose", {"textDocument": {"uri": "untitled:1"}})
    editor.notify("textDocument/didOpen", {"textDocument": {"uri": "untitled:1", "languageId": "", "version": 1, "text": "flink"}})
    editor.notify("$/cancelRequest", {"id": 99_999})
    editor.notify("no/suchThing", {})
    half = editor.open(workspace / "half" / "config.yaml", 'flink: "\ud83d"\n' + BAD)
    editor.until(half, RULE)
    editor.edit(
        half,
        {"range": at(5, 0, 99_999), "text": ""},
        {"range": {"start": {"line": 900, "character": 0}, "end": at(900, 0)["end"]}, "text": "#"},
    )
    editor.until(half, RULE)


def test_a_server_started_again_says_the_same(start: Start, tmp_path: Path) -> None:
    (tmp_path / "shoal.toml").write_text(SETTINGS)
    (tmp_path / "config.yaml").write_text(BAD)
    said = []
    for _ in range(2):
        editor = start(tmp_path)
        said.append(editor.until(editor.open(tmp_path / "config.yaml"), RULE))
        assert editor.close() == 0
    assert said[0] == said[1]


def test_rules_of_the_project_are_read_again_when_they_change(start: Start, tmp_path: Path) -> None:
    rule = tmp_path / "rules" / "own" / "quick_heartbeat"
    rule.mkdir(parents=True)
    text = (
        "id: quick-heartbeat\nsummary: A heartbeat that is too quick\nseverity: warning\nconfidence: high\nengines: [flink]\n"
        "needs: [heartbeat]\nuse: setting-range\nwith:\n  engine: flink\n  keys: [heartbeat.timeout]\n  type: duration\n"
        '  levels:\n    - below: 10 s\n  message: "{key} is {human}"\n'
    )
    (rule / "rule.yaml").write_text(text)
    (rule / "rule.md").write_text("# quick-heartbeat\n## What it finds\nx\n## Why it hurts\nx\n## How to fix\nx\n")
    (tmp_path / "shoal.toml").write_text('rule-paths = ["rules"]\nselect = ["quick-heartbeat"]\n')
    editor = start(tmp_path)
    uri = editor.open(tmp_path / "flink-conf.yaml", "heartbeat.timeout: 5 s\n")
    editor.until(uri, "quick-heartbeat")
    (rule / "rule.yaml").write_text(text.replace("10 s", "2 s"))
    editor.changed(rule / "rule.yaml")
    assert editor.until(uri) == []
