"""Large files, many files, requests that are called off, and a reader that dies."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import pytest

from tests.server.client import Editor, at
from tests.server.conftest import PYTHON, RULE, SETTINGS, Start

LINE = "execution.checkpointing.timeout: 1 s\n"


def test_a_file_of_ten_thousand_lines_edited_piece_by_piece(editor: Editor, workspace: Path) -> None:
    text = "# a comment about 😀\n" * 9_999 + LINE
    uri = editor.open(workspace / "large" / "flink-conf.yaml", text)
    (found,) = editor.until(uri, RULE)
    assert found["range"]["start"]["line"] == 9_999
    for number in range(20):
        editor.edit(uri, {"range": at(number, 0), "text": "#\n"}, {"range": at(10_000 + number, 33, 34), "text": str(number % 9 + 1)})
    version = editor.edit(uri, {"range": at(10_019, 33, 34), "text": "3"})
    (found,) = editor.until(uri, RULE, version=version)
    assert found["range"] == at(10_019, 33, 36) and "after 3 s" in found["message"]
    editor.shut(uri)


def test_five_hundred_open_files(start: Start, tmp_path: Path) -> None:
    (tmp_path / "shoal.toml").write_text(SETTINGS)
    editor = start(tmp_path)
    uris = [editor.open(tmp_path / f"{number}" / "flink-conf.yaml", LINE) for number in range(500)]
    for uri in uris:
        editor.until(uri, RULE)
    editor.edit(uris[250], {"text": LINE.replace("1 s", "10 min")})
    assert editor.until(uris[250]) == []
    for uri in uris:
        editor.shut(uri)
    for uri in uris:
        assert editor.until(uri) == []


def test_a_request_that_is_called_off_is_answered_and_the_next_one_too(editor: Editor, workspace: Path) -> None:
    uri = editor.open(workspace / "called_off" / "job.py", PYTHON * 40)
    where = {"textDocument": {"uri": uri}, "position": {"line": 3, "character": 40}}
    numbers = [editor.begin("textDocument/completion", where) for _ in range(5)]
    for number in numbers:
        editor.notify("$/cancelRequest", {"id": number})
    for number in numbers:
        answer = editor.answer(number)
        assert "result" in answer or answer["error"]["code"] == -32800
    assert editor.request("textDocument/hover", where)["contents"]["value"].startswith("**`execution.checkpointing.timeout`")


@pytest.mark.skipif(sys.platform != "linux", reason="looks for the server's processes")
def test_a_reader_that_dies_is_started_again(start: Start, tmp_path: Path) -> None:
    (tmp_path / "shoal.toml").write_text(SETTINGS)
    editor = start(tmp_path)
    uri = editor.open(tmp_path / "flink-conf.yaml", LINE)
    editor.until(uri, RULE)
    children = Path(f"/proc/{editor.process.pid}/task/{editor.process.pid}/children").read_text().split()
    assert children
    for child in children:
        os.kill(int(child), signal.SIGKILL)
    editor.edit(uri, {"text": LINE.replace("1 s", "10 min")})
    assert editor.until(uri) == []
    editor.edit(uri, {"text": LINE})
    editor.until(uri, RULE)
    assert editor.close() == 0


@pytest.mark.skipif(sys.platform != "linux", reason="looks for the server's processes")
def test_nothing_is_left_of_a_server_whose_editor_is_gone(start: Start, tmp_path: Path) -> None:
    editor = start(tmp_path)
    editor.until(editor.open(tmp_path / "flink-conf.yaml", LINE), RULE, without=("none",))
    children = Path(f"/proc/{editor.process.pid}/task/{editor.process.pid}/children").read_text().split()
    assert editor.process.stdin is not None
    editor.process.stdin.close()
    assert editor.process.wait(20) == 0
    assert children and not any(Path(f"/proc/{child}/cmdline").exists() for child in children)
