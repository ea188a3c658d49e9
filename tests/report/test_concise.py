"""The line format that editors without a language server read."""

from __future__ import annotations

import re
from pathlib import Path

from shoal.report import Run, render
from tests.host.conftest import BAD, RULE, Shoal, shoal  # noqa: F401 - a fixture


def test_every_line_is_one_finding_at_one_place(run: Run) -> None:
    lines = render("concise", run).splitlines()
    assert len(lines) == len(run.open) + len(run.problems)
    assert all(re.match(r".+:\d+:\d+: (?:error|warning|info) \[[\w-]+\] .", line) for line in lines)
    assert lines[0] == f"conf/config.yaml:4:14: error [{RULE}] checkpoints are abandoned after 1 s"


def test_lint_of_a_buffer_without_a_server(shoal: Shoal, tmp_path: Path) -> None:  # noqa: F811
    done = shoal(
        "check", "--select", RULE, "--format", "concise", "--stdin-filename", tmp_path / "conf" / "config.yaml", stdin=BAD.encode()
    )
    assert done.code == 1 and re.fullmatch(rf"conf/config\.yaml:4:14: error \[{RULE}\] [^\n]+\n", done.out)
    clean = shoal("check", "--select", RULE, "--format", "concise", "--stdin-filename", "config.yaml", stdin=b"x: 1\n")
    assert (clean.code, clean.out) == (0, "")
