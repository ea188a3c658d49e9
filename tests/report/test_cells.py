"""Places in notebooks are told as their authors see them: the cell, and the line in it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.cells import Cells
from tests.host.conftest import Shoal, write
from tests.host.conftest import shoal as shoal  # the fixture

JOB = (
    "from pyflink.datastream import StreamExecutionEnvironment\n",
    "env = StreamExecutionEnvironment.get_execution_environment()\n",
    "\n",
    'note = "é\\t\\"q\\""; env.get_checkpoint_config().set_checkpoint_timeout(5)',
)
COLUMN = JOB[3].index("5)") + 1
ONLY = ("--select", "checkpoint-timeout-too-short")


def notebook(*cells: Any, indent: int | None = 1) -> str:
    made = [{"cell_type": kind, "metadata": {}, "source": source} for kind, source in cells]
    return json.dumps({"cells": made, "nbformat": 4, "nbformat_minor": 5}, indent=indent)


DATABRICKS = """\
# Databricks notebook source
# MAGIC %md
# MAGIC a title

# COMMAND ----------

# DBTITLE 1,The job
{0}{1}{2}{3}

# COMMAND ----------

env.execute()
"""


@pytest.mark.parametrize(
    ("name", "text", "cell"),
    [
        ("a.ipynb", notebook(("markdown", ["# a\n", "b"]), ("code", list(JOB))), (2, 4)),
        ("a.ipynb", notebook(("code", "1 + 1"), ("code", []), ("code", "".join(JOB)), indent=None), (3, 4)),
        ("a.ipynb", notebook(("raw", "x"), ("code", ["%pip install x\n", *JOB])), (2, 5)),
        ("a.py", DATABRICKS.format(*JOB), (2, 4)),
    ],
)
def test_reports_tell_the_cell(shoal: Shoal, tmp_path: Path, name: str, text: str, cell: tuple[int, int]) -> None:
    write(tmp_path, {name: text})
    number, line = cell
    (finding,) = shoal("check", *ONLY, "--format", "json").report["findings"]
    assert finding["places"][0]["cell"] == {"number": number, "line": line, "column": COLUMN}
    words = f"cell {number}, line {line}"
    assert f"({words})" in shoal("check", *ONLY, "--format", "concise").out
    assert words in shoal("check", *ONLY, "--format", "markdown").out
    shown = shoal("check", *ONLY).out.splitlines()
    assert f"({words})" in shown[1]
    code, mark = (row.split(" | ", 1)[1] for row in shown[2:4])
    assert code == JOB[3] and mark == " " * (COLUMN - 1) + "^"


def test_other_files_have_no_cells(shoal: Shoal, tmp_path: Path) -> None:
    write(tmp_path, {"job.py": "".join(JOB)})
    (finding,) = shoal("check", *ONLY, "--format", "json").report["findings"]
    assert "cell" not in finding["places"][0]


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.lists(st.text(max_size=8).map(lambda line: line.replace("\r", "") + "\n"), max_size=4), min_size=1, max_size=4),
    st.booleans(),
    st.booleans(),
)
def test_every_character_of_every_cell_is_placed(cells: list[list[str]], whole: bool, plain: bool) -> None:
    """Whatever JSON makes of a text: escapes, one text or a list of lines."""
    made = [{"cell_type": "code", "source": "".join(lines) if whole else lines} for lines in cells]
    text = json.dumps({"cells": made}, ensure_ascii=plain)
    found = Cells("a.ipynb", text)
    at = 0
    for number, lines in enumerate(cells, 1):
        at = text.index('"source": ', at) + len('"source": ') + (not whole)
        line = column = 1
        for token in ["".join(lines)] if whole else lines:
            at += 1
            for char in token:
                place = found.at(at)
                assert place is not None and (place.number, place.line, place.column) == (number, line, column)
                assert char == (place.content + "\n")[column - 1]
                line, column = (line + 1, 1) if char == "\n" else (line, column + 1)
                at += len(json.dumps(char, ensure_ascii=plain)) - 2
            assert text[at] == '"'
            at += len('", ')


@pytest.mark.parametrize("text", ["", "{", "[]", '{"cells": 3}', '{"cells": [{"source": 3}, 4]}'])
def test_what_is_no_notebook_has_no_cells(text: str) -> None:
    assert Cells("a.ipynb", text).at(0) is None
