"""The VS Code extension: its types, its own tests, and that it asks for what the server has. Runs where `make vscode` was run."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest

from tests.server.client import Editor

EXTENSION = Path(__file__).parents[2] / "editors" / "vscode"


@pytest.mark.skipif(not (EXTENSION / "node_modules").is_dir(), reason="`make vscode` installs what the extension is built with")
def test_it_compiles_and_its_tests_pass() -> None:
    for script in ("typecheck", "test"):
        done = subprocess.run(["npm", "run", "--silent", script], cwd=EXTENSION, capture_output=True, timeout=120)
        assert done.returncode == 0, (done.stdout + done.stderr).decode()


def test_it_registers_its_commands_and_uses_only_those_the_server_has(editor: Editor) -> None:
    source = (EXTENSION / "src" / "extension.ts").read_text()
    contributed = {item["command"] for item in json.loads((EXTENSION / "package.json").read_text())["contributes"]["commands"]}
    registered = set(re.findall(r'registerCommand\("([\w.]+)"', source))
    assert contributed <= registered
    served = set(editor.capabilities["executeCommandProvider"]["commands"])
    assert set(re.findall(r'command: "(shoal\.\w+)"', source)) <= served
    assert not registered & served, "the client library registers the server's commands by itself"
