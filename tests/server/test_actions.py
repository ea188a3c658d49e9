"""Code actions: what they offer, and that the texts they make are right."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.server.client import Editor, at
from tests.server.conftest import PYTHON, RULE, SETTINGS, Start

RESOLVE = {
    "textDocument": {"codeAction": {"resolveSupport": {"properties": ["edit"]}}},
    "workspace": {"workspaceEdit": {"documentChanges": True}},
}


def ask(editor: Editor, uri: str, place: dict[str, Any], *only: str) -> list[dict[str, Any]]:
    context = {"diagnostics": [], **({"only": list(only)} if only else {})}
    return editor.request("textDocument/codeAction", {"textDocument": {"uri": uri}, "range": place, "context": context})


def applied(text: str, edit: dict[str, Any]) -> str:
    """The text after a workspace edit of one file, its columns in characters."""
    ((_, changes),) = edit["changes"].items() if "changes" in edit else [(None, edit["documentChanges"][0]["edits"])]
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))

    def offset(position: dict[str, int]) -> int:
        return starts[position["line"]] + position["character"]

    for change in sorted(changes, key=lambda change: offset(change["range"]["start"]), reverse=True):
        text = text[: offset(change["range"]["start"])] + change["newText"] + text[offset(change["range"]["end"]) :]
    return text


def test_a_fix_and_everything_else_that_can_be_done(start: Start, tmp_path: Path) -> None:
    (tmp_path / "shoal.toml").write_text(SETTINGS)
    editor = start(tmp_path, capabilities={"window": {"showDocument": {"support": True}}})
    text = "  restart-strategy.fixed-delay.delay: 10\n  heartbeat.timeout: 10 mins\n"
    uri = editor.open(tmp_path / "flink-conf.yaml", text)
    editor.until(uri, "duration-without-unit", "invalid-duration")
    assert ask(editor, uri, at(0, 3), "quickfix") == []
    unsafe, ignore, about = ask(editor, uri, at(0, 39), "quickfix")
    assert "unsafe" in unsafe["title"] and unsafe["diagnostics"][0]["code"] == "duration-without-unit" and not unsafe.get("isPreferred")
    safe = ask(editor, uri, at(1, 25), "quickfix")[0]
    assert safe["isPreferred"]
    silenced = applied(text, ignore["edit"])
    assert "  # shoal: ignore[duration-without-unit]\n  restart-strategy.fixed-delay.delay: 10" in silenced
    assert editor.request("workspace/executeCommand", {**about["command"], "title": None}) is True
    shown = [message for message in editor.asked if message["method"] == "window/showDocument"]
    assert shown[-1]["params"]["uri"].endswith("duration_without_unit/rule.md")
    editor.edit(uri, {"text": applied(text, unsafe["edit"])})
    editor.until(uri, "invalid-duration")
    editor.edit(uri, {"text": applied(applied(text, unsafe["edit"]), safe["edit"])})
    assert editor.until(uri) == []
    editor.edit(uri, {"text": silenced})
    editor.until(uri, "invalid-duration", "suppression-without-reason")


def test_a_suppression_in_sql_inside_python_is_an_sql_comment(start: Start, tmp_path: Path) -> None:
    (tmp_path / "shoal.toml").write_text(SETTINGS)
    editor = start(tmp_path, capabilities=RESOLVE)
    text = (
        "from pyflink.table import EnvironmentSettings, TableEnvironment\n"
        "t = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())\n"
        't.execute_sql("""\n'
        "    SET 'execution.checkpointing.timeout' = '1 s'\n"
        '""")\n'
        "# and in code\n" + PYTHON
    )
    uri = editor.open(tmp_path / "job.py", text)
    first, second = sorted(editor.until(uri, RULE, RULE), key=lambda item: item["range"]["start"]["line"])
    for found in (first, second):
        (action,) = [one for one in ask(editor, uri, found["range"]) if one["title"].startswith("Ignore")]
        assert "edit" not in action
        editor.request(
            "workspace/executeCommand", {"command": "shoal.suppress", "arguments": [uri, action["data"]["fingerprint"], "a\n test"]}
        )
        edit = editor.asked[-1]["params"]["edit"]
        assert edit["documentChanges"][0]["textDocument"]["version"] == 1
        expected = "--" if found is first else "#"
        assert f"{expected} shoal: ignore[{RULE}] a test\n" in applied(text, edit)
    assert editor.request("workspace/executeCommand", {"command": "shoal.suppress", "arguments": [uri, "gone", ""]}) is False


def test_a_suppression_in_java_is_a_java_comment(start: Start, tmp_path: Path) -> None:
    (tmp_path / "shoal.toml").write_text(SETTINGS)
    editor = start(tmp_path)
    text = (
        "import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;\n"
        "class Job {\n  void run(StreamExecutionEnvironment env) {\n    env.getCheckpointConfig().setCheckpointTimeout(500);\n  }\n}\n"
    )
    uri = editor.open(tmp_path / "Job.java", text)
    (found,) = editor.until(uri, RULE)
    assert found["range"]["start"] == {"line": 3, "character": 51}
    (action,) = [one for one in ask(editor, uri, found["range"]) if one["title"].startswith("Ignore")]
    assert f"    // shoal: ignore[{RULE}]\n    env.getCheckpointConfig()" in applied(text, action["edit"])


def test_all_safe_fixes_of_a_file_at_once(start: Start, tmp_path: Path) -> None:
    (tmp_path / "shoal.toml").write_text(SETTINGS)
    editor = start(tmp_path, capabilities=RESOLVE)
    text = (
        "# shoal: ignore[" + RULE + "] nothing to silence\r\n"
        "execution.checkpointing.timeout: 10 min\r\n"
        "# shoal: ignore[" + RULE + "] nothing here either\r\n"
        "parallelism.default: 1\r\n"
    )
    uri = editor.open(tmp_path / "flink-conf.yaml", text)
    editor.until(uri, "unused-suppression", "unused-suppression")
    (action,) = ask(editor, uri, at(0, 0), "source.fixAll")
    edit = editor.request("codeAction/resolve", action)["edit"]
    fixed = applied(text, edit)
    assert fixed == "execution.checkpointing.timeout: 10 min\r\nparallelism.default: 1\r\n"
    editor.edit(uri, {"text": fixed})
    assert editor.until(uri) == []
    assert ask(editor, uri, at(0, 0), "source.fixAll") == []
