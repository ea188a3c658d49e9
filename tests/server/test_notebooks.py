"""Notebooks, as a file and cell by cell."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.server.client import Editor, Message, at
from tests.server.conftest import PYTHON, RULE, SETTINGS, Start
from tests.server.test_actions import RESOLVE, applied, ask

HEAD, TAIL = PYTHON[: PYTHON.index("env.get_")], '# 😀 "quoted"\n' + PYTHON[PYTHON.index("env.get_") :]
CALL = "env.get_checkpoint_config().set_checkpoint_timeout("
TEXTS = ["# A title", HEAD, TAIL]


def opened(editor: Editor, path: Path, texts: list[str]) -> list[str]:
    """A notebook as an editor opens it, its first cell Markdown; the addresses of its cells."""
    cells = [f"vscode-notebook-cell:{path}#{number}" for number in range(len(texts))]
    book = [{"kind": 2 if number else 1, "document": cell} for number, cell in enumerate(cells)]
    documents = [
        {"uri": cell, "languageId": "python" if number else "markdown", "version": 1, "text": texts[number]}
        for number, cell in enumerate(cells)
    ]
    named = {"uri": path.as_uri(), "notebookType": "jupyter-notebook", "version": 1, "cells": book}
    editor.notify("notebookDocument/didOpen", {"notebookDocument": named, "cellTextDocuments": documents})
    return cells


def changed(editor: Editor, path: Path, version: int, cell: str, change: Message) -> None:
    text = {"document": {"uri": cell, "version": version}, "changes": [change]}
    book = {"uri": path.as_uri(), "version": version}
    editor.notify("notebookDocument/didChange", {"notebookDocument": book, "change": {"cells": {"textContent": [text]}}})


def test_a_notebook_as_text(editor: Editor, workspace: Path) -> None:
    text = json.dumps({"cells": [{"cell_type": "code", "source": PYTHON.splitlines(keepends=True)}], "nbformat": 4}, indent=1)
    (found,) = editor.until(editor.open(workspace / "text.ipynb", text), RULE)
    line = text.splitlines()[found["range"]["start"]["line"]]
    assert line[found["range"]["start"]["character"] : found["range"]["end"]["character"]] == "500"


def test_a_notebook_cell_by_cell(start: Start, tmp_path: Path) -> None:
    (tmp_path / "shoal.toml").write_text(SETTINGS)
    editor = start(tmp_path, capabilities={"notebookDocument": {"synchronization": {}}})
    assert editor.capabilities["notebookDocumentSync"]
    path = tmp_path / "job.ipynb"
    cells = opened(editor, path, [*TEXTS, "def (:  # one broken cell does not hide the others\n"])
    (found,) = editor.until(cells[2], RULE)
    assert found["range"] == at(1, len(CALL), len(CALL) + 3)
    changed(editor, path, 2, cells[2], {"range": at(1, len(CALL), len(CALL) + 3), "text": "600000"})
    assert editor.until(cells[2]) == []
    changed(editor, path, 3, cells[2], {"text": TAIL})
    editor.until(cells[2], RULE)
    editor.notify(
        "notebookDocument/didClose", {"notebookDocument": {"uri": path.as_uri()}, "cellTextDocuments": [{"uri": uri} for uri in cells]}
    )
    assert editor.until(cells[2]) == []
    assert editor.close() == 0


def test_hover_and_completion_in_a_cell(start: Start, tmp_path: Path) -> None:
    (tmp_path / "shoal.toml").write_text(SETTINGS)
    editor = start(tmp_path)
    sql = '\tt_env.execute_sql("SET \'execution.checkpointing.mo")\n'
    cells = opened(editor, tmp_path / "job.ipynb", [*TEXTS, "if True:\n" + sql])
    editor.until(cells[2], RULE)

    def request(method: str, cell: str, line: int, character: int) -> Any:
        return editor.request(method, {"textDocument": {"uri": cell}, "position": {"line": line, "character": character}})

    found = request("textDocument/hover", cells[2], 1, len(CALL) - 3)
    assert found["contents"]["value"].startswith("**`execution.checkpointing.timeout`")
    assert found["range"] == at(1, CALL.index("set_"), len(CALL) - 1)
    assert request("textDocument/hover", cells[2], 0, 3) is None
    line = sql.index('")')
    items = {item["label"]: item for item in request("textDocument/completion", cells[3], 1, line)["items"]}
    assert items["execution.checkpointing.mode"]["textEdit"]["range"] == at(1, sql.index("exec", 10), line)
    lenses = {cell: editor.request("textDocument/codeLens", {"textDocument": {"uri": cell}}) for cell in cells}
    assert [cell for cell, found in lenses.items() if found] == [cells[1]] and lenses[cells[1]][0]["range"]["start"]["line"] == 1


def test_what_can_be_done_in_a_cell(start: Start, tmp_path: Path) -> None:
    rules = ("invalid-duration", "suppression-without-reason", "unused-suppression", RULE)
    (tmp_path / "shoal.toml").write_text(f"select = {json.dumps(rules)}\n")
    editor = start(tmp_path, capabilities=RESOLVE)
    path = tmp_path / "job.ipynb"
    bad = 'from pyflink.common import Configuration\nc = Configuration()\nif c:\n\tc.set_string("heartbeat.timeout", "10 mins")\n'
    spare = f"x = 1\n# shoal: ignore[{RULE}] nothing there\n"
    cells = opened(editor, path, ["# A title", bad, spare])
    (found,) = editor.until(cells[1], "invalid-duration")
    editor.until(cells[2], "unused-suppression")
    fix, ignore, _ = ask(editor, cells[1], found["range"], "quickfix")
    assert fix["diagnostics"][0]["range"] == found["range"]
    document = fix["edit"]["documentChanges"][0]["textDocument"]
    assert document["uri"] == cells[1] and applied(bad, fix["edit"]) == bad.replace("10 mins", "10 min")
    silent = editor.request("codeAction/resolve", ignore)["edit"]
    assert silent["documentChanges"][0]["textDocument"]["uri"] == cells[1]
    assert "\t# shoal: ignore[invalid-duration]\n\tc.set_string(" in applied(bad, silent)
    (every,) = ask(editor, cells[2], at(0, 0), "source.fixAll")
    edits = {item["textDocument"]["uri"]: item for item in editor.request("codeAction/resolve", every)["edit"]["documentChanges"]}
    assert applied(bad, {"documentChanges": [edits[cells[1]]]}) == bad.replace("10 mins", "10 min")
    assert applied(spare, {"documentChanges": [edits[cells[2]]]}) == "x = 1\n"
    changed(editor, path, 2, cells[1], {"text": applied(bad, silent)})
    editor.until(cells[1], "suppression-without-reason")
