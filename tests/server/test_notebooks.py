"""Notebooks, as a file and cell by cell."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.server.client import Editor, at
from tests.server.conftest import PYTHON, RULE, SETTINGS, Start


def test_a_notebook_as_text(editor: Editor, workspace: Path) -> None:
    text = json.dumps({"cells": [{"cell_type": "code", "source": PYTHON.splitlines(keepends=True)}], "nbformat": 4}, indent=1)
    (found,) = editor.until(editor.open(workspace / "text.ipynb", text), RULE)
    line = text.splitlines()[found["range"]["start"]["line"]]
    assert line[found["range"]["start"]["character"] : found["range"]["end"]["character"]] == "500"


def test_a_notebook_cell_by_cell(start: Start, tmp_path: Path) -> None:
    (tmp_path / "shoal.toml").write_text(SETTINGS)
    editor = start(tmp_path, capabilities={"notebookDocument": {"synchronization": {}}})
    assert editor.capabilities["notebookDocumentSync"]
    uri = (tmp_path / "job.ipynb").as_uri()
    head, tail = PYTHON[: PYTHON.index("env.get_")], '# 😀 "quoted"\n' + PYTHON[PYTHON.index("env.get_") :]
    texts = ["# A title", head, tail]
    cells = [f"vscode-notebook-cell:{tmp_path}/job.ipynb#{number}" for number in range(3)]

    def cell(number: int) -> dict[str, Any]:
        return {"kind": 2 if number else 1, "document": cells[number]}

    def item(number: int) -> dict[str, Any]:
        return {"uri": cells[number], "languageId": "python" if number else "markdown", "version": 1, "text": texts[number]}

    editor.notify(
        "notebookDocument/didOpen",
        {
            "notebookDocument": {"uri": uri, "notebookType": "jupyter-notebook", "version": 1, "cells": [cell(n) for n in range(3)]},
            "cellTextDocuments": [item(n) for n in range(3)],
        },
    )
    (found,) = editor.until(cells[2], RULE)
    start_column = len("env.get_checkpoint_config().set_checkpoint_timeout(")
    assert found["range"] == at(1, start_column, start_column + 3)
    change = {"range": at(1, start_column, start_column + 3), "text": "600000"}
    editor.notify(
        "notebookDocument/didChange",
        {
            "notebookDocument": {"uri": uri, "version": 2},
            "change": {"cells": {"textContent": [{"document": {"uri": cells[2], "version": 2}, "changes": [change]}]}},
        },
    )
    assert editor.until(cells[2]) == []
    editor.notify("notebookDocument/didClose", {"notebookDocument": {"uri": uri}, "cellTextDocuments": [{"uri": uri} for uri in cells]})
    assert editor.close() == 0
