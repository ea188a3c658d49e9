"""A comment counts anywhere in the statement it is about, and no further."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from shoal import rulebook_build
from shoal.core import check_source, conclude
from shoal.model import Source
from shoal.rulebook import built_in_folder, from_json
from shoal.settings import Settings

RULES = from_json(rulebook_build.build(built_in_folder()), built_in_folder())
HEAD = "import requests\nfrom pyflink.datastream.functions import MapFunction\n\n\nclass F(MapFunction):\n    def map(self, value):\n"
COMMENT = "  # shoal: ignore[network-call-without-timeout] answers at once"


def states(body: str) -> list[str]:
    text = HEAD + body
    result = check_source(Source("job.py", "python", text.encode()), RULES, Settings())
    findings, _ = conclude([result], RULES, Settings(), {"job.py": text})
    return [finding.status.state for finding in findings if finding.rule == "network-call-without-timeout"]


@pytest.mark.parametrize(
    ("body", "state"),
    [
        (f"        return requests.get(value){COMMENT}\n", "suppressed"),
        (f"        return requests.get({COMMENT}\n            value,\n        )\n", "suppressed"),
        (f"        return requests.get(\n            value,{COMMENT}\n        ).json()\n", "suppressed"),
        (f"        {COMMENT.strip()}\n        return requests.get(value)\n", "suppressed"),
        (f"        if requests.get(value).ok:\n            value = 1{COMMENT}\n        return value\n", "open"),
        (f"        answer = requests.get(value)\n        return answer{COMMENT}\n", "open"),
    ],
)
def test_where_a_comment_counts(body: str, state: str) -> None:
    assert states(body) == [state]


@pytest.mark.parametrize("as_lines", [True, False])
@pytest.mark.parametrize("indent", [1, None])
@pytest.mark.parametrize(
    "body, silenced",
    [
        ('env.get_checkpoint_config().set_checkpoint_timeout(500)  # shoal: ignore[checkpoint-timeout-too-short] it\'s "slow"\n', True),
        (
            "if env:\n\t# shoal: ignore[checkpoint-timeout-too-short] slow\n\n\tenv.get_checkpoint_config().set_checkpoint_timeout(500)\n",
            True,
        ),
        ("# shoal: ignore[checkpoint-timeout-too-short] slow\nx = 1\nenv.get_checkpoint_config().set_checkpoint_timeout(500)\n", False),
        ("env.get_checkpoint_config().set_checkpoint_timeout(500)\n# shoal: ignore[checkpoint-timeout-too-short] slow", False),
    ],
)
def test_comments_in_a_notebook_count_as_in_its_cells(
    body: str, silenced: bool, indent: int | None, as_lines: bool, tmp_path: Path
) -> None:
    head = "from pyflink.datastream import StreamExecutionEnvironment\nenv = StreamExecutionEnvironment.get_execution_environment()\n"
    cells = [{"cell_type": "code", "source": text.splitlines(keepends=True) if as_lines else text} for text in (head, body)]
    path = tmp_path / "job.ipynb"
    path.write_text(json.dumps({"cells": cells, "nbformat": 4}, indent=indent))
    (tmp_path / "shoal.toml").write_text('select = ["checkpoint-timeout-too-short", "unused-suppression"]\n')

    def findings(*fix: str) -> dict[str, str]:
        done = subprocess.run(
            [sys.executable, "-m", "shoal", "check", "--format", "json", *fix, "job.ipynb"], cwd=tmp_path, capture_output=True, timeout=60
        )
        return {item["rule"]: item["status"] for item in json.loads(done.stdout)["findings"]}

    state = {"checkpoint-timeout-too-short": "suppressed" if silenced else "open"}
    assert findings() == state | ({} if silenced else {"unused-suppression": "open"})
    assert findings("--fix") == state
    source = "".join("".join(cell["source"]) for cell in json.loads(path.read_text())["cells"])
    without = [line for line in (head + body).splitlines() if not line.startswith("#")]
    assert source.splitlines() == without if not silenced else source == head + body
