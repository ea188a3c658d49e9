"""A real editor with the configuration that is shipped: it opens a bad file, shows the finding, applies the fix, saves, and is clean."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.server.conftest import SETTINGS

PLUGIN = Path(__file__).parents[2] / "editors" / "neovim"


def test_neovim_shows_fixes_and_clears(tmp_path: Path, cache: dict[str, str]) -> None:
    neovim = shutil.which("nvim")
    if neovim is None:
        if os.environ.get("CI"):
            pytest.fail("tools/system.sh installs Neovim")
        pytest.skip("Neovim is not installed")
    (tmp_path / "shoal.toml").write_text(SETTINGS)
    path = tmp_path / "flink-conf.yaml"
    path.write_text("taskmanager.numberOfTaskSlots: 2 # 😀\nheartbeat.timeout: 10 mins # 😀\n")
    done = subprocess.run(
        [neovim, "--headless", "--clean", "-n", "--cmd", f"set rtp^={PLUGIN}", "-c", f"luafile {PLUGIN / 'test' / 'fix.lua'}"],
        env={
            **os.environ,
            **cache,
            "FILE": str(path),
            "RULE": "invalid-duration",
            "SHOAL": str(Path(sys.executable).with_name("shoal")),
            "HOME": str(tmp_path),
        },
        cwd=tmp_path,
        capture_output=True,
        timeout=60,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 0 and b"done" in done.stdout, (done.stdout + done.stderr).decode()
    assert path.read_text().splitlines()[1] == "heartbeat.timeout: 10 min # 😀"
