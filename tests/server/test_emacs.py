"""Emacs with the lines that the docs give for Eglot: it opens a bad file, shows the finding, applies the fix, saves, and is clean."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.server.conftest import SETTINGS

DOCS = Path(__file__).parents[2] / "docs" / "editors.md"
PROGRAM = Path(__file__).with_name("emacs.el")


def test_emacs_shows_fixes_and_clears(tmp_path: Path, cache: dict[str, str]) -> None:
    emacs = shutil.which("emacs")
    if emacs is None:
        (pytest.fail if os.environ.get("CI") else pytest.skip)("Emacs is not installed; tools/system.sh does it")
    setup = tmp_path / "setup.el"
    setup.write_text(next(block for block in re.findall(r"(?s)```elisp\n(.*?)```", DOCS.read_text()) if "'eglot" in block))
    job = tmp_path / "job"
    job.mkdir()
    (job / "shoal.toml").write_text(SETTINGS)
    path = job / "flink-conf.yaml"
    path.write_text("taskmanager.numberOfTaskSlots: 2 # 😀\nheartbeat.timeout: 10 mins # 😀\n")
    shoal = Path(sys.executable).with_name("shoal")
    done = subprocess.run(
        [emacs, "--batch", "-q", "--eval", "(package-initialize)", "--load", str(PROGRAM)],
        env={
            **os.environ,
            **cache,
            "FILE": str(path),
            "RULE": "invalid-duration",
            "SETUP": str(setup),
            "HOME": str(tmp_path),
            "PATH": f"{shoal.parent}{os.pathsep}{os.environ['PATH']}",
            "LC_ALL": "C.UTF-8",
        },
        capture_output=True,
        timeout=180,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 0 and done.stdout.endswith(b"done\n"), (done.stdout + done.stderr).decode()
    assert path.read_text().splitlines()[1] == "heartbeat.timeout: 10 min # 😀"
