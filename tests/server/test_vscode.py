"""The VS Code extension: compiled, tested by itself, packaged, and used by hand, as it were, in a real VS Code."""

from __future__ import annotations

import json
import os
import re
import subprocess
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.server import vscode
from tests.server.client import Editor
from tests.server.conftest import PYTHON, RULE, SETTINGS
from tests.server.vscode import EXTENSION, Code

CONF = "taskmanager.numberOfTaskSlots: 2 # 😀\nheartbeat.timeout: 10 mins # 😀\n"


@pytest.fixture(scope="module")
def code() -> Path:
    """VS Code's server; the extension is packaged."""
    if missing := vscode.missing():
        (pytest.fail if os.environ.get("CI") else pytest.skip)(f"not installed: {missing}; tools/system.sh does it")
    return vscode.build()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("orders")
    (folder / "shoal.toml").write_text(SETTINGS)
    (folder / "flink-conf.yaml").write_text(CONF)
    (folder / "other").mkdir()
    (folder / "other" / "job.py").write_text(PYTHON)
    bad = f"{PYTHON}# 😀\nenv.get_checkpoint_config().set_checkpoint_timeout(700)\n"
    cells = [{"cell_type": "code", "source": text, "metadata": {}, "outputs": []} for text in ("x = 1\n", bad)]
    (folder / "job.ipynb").write_text(json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))
    return folder


@pytest.fixture(scope="module")
def window(code: Path, folder: Path, tmp_path_factory: pytest.TempPathFactory, cache: dict[str, str]) -> Iterator[Code]:
    with vscode.started(code, tmp_path_factory.mktemp("vscode"), cache) as window:
        window.open(folder, "flink-conf.yaml")
        window.click(".monaco-dialog-box .monaco-button", "Yes, I trust")
        yield window


def test_it_compiles_and_its_tests_pass(code: Path) -> None:
    for script in ("typecheck", "test"):
        done = subprocess.run(["npm", "run", "--silent", script], cwd=EXTENSION, capture_output=True, timeout=120)
        assert done.returncode == 0, (done.stdout + done.stderr).decode()


def test_the_package_holds_what_it_needs_and_no_more(code: Path) -> None:
    with zipfile.ZipFile(EXTENSION / "shoal.vsix") as package:
        names = {name for name in package.namelist() if name.startswith("extension/")}
        manifest = json.loads(package.read("extension/package.json"))
    assert names == {f"extension/{name}" for name in ("package.json", "readme.md", "LICENSE.txt", "dist/extension.js")}
    assert f"extension/{manifest['main'].removeprefix('./')}" in names


def test_it_registers_its_commands_and_uses_only_those_the_server_has(editor: Editor) -> None:
    source = (EXTENSION / "src" / "extension.ts").read_text()
    contributed = {item["command"] for item in json.loads((EXTENSION / "package.json").read_text())["contributes"]["commands"]}
    registered = set(re.findall(r'registerCommand\("([\w.]+)"', source))
    assert contributed <= registered
    served = set(editor.capabilities["executeCommandProvider"]["commands"])
    assert set(re.findall(r'command: "(shoal\.\w+)"', source)) <= served
    assert not registered & served, "the client library registers the server's commands by itself"


def test_a_finding_is_shown_fixed_and_gone_in_a_real_window(window: Code, folder: Path) -> None:
    from selenium.webdriver.common.keys import Keys

    window.until("the findings of this file and of those that are not open", lambda: "3 findings of shoal" in window.status())
    window.go(2, 22)
    window.press(Keys.CONTROL, ".")
    window.until("the fixes", lambda: window.texts(".action-widget .action"))
    assert window.texts(".action-widget .action")[0] == "Write 10 min"
    window.type(Keys.ENTER)
    window.until("one less", lambda: "2 findings of shoal" in window.status())
    window.press(Keys.CONTROL, "s")
    window.until("the file saved", lambda: (folder / "flink-conf.yaml").read_text() == CONF.replace("10 mins", "10 min"))


def test_hover_and_completion_in_a_real_window(window: Code) -> None:
    from selenium.webdriver.common.keys import Keys

    window.go(2, 3)
    window.press(Keys.CONTROL, "k")
    window.press(Keys.CONTROL, "i")
    window.until("the hover", lambda: any("default 50 s" in text for text in window.texts(".monaco-hover")))
    window.type(Keys.ESCAPE)
    window.go(3, 1)
    window.type("execution.checkpointing.mo")
    window.until("a proposal", lambda: any("execution.checkpointing.mode" in text for text in window.texts(".suggest-widget")))
    window.type(Keys.ESCAPE)


def test_an_audit_of_the_workspace_is_shown_in_a_real_window(window: Code) -> None:
    from selenium.webdriver.common.by import By

    window.command("shoal: Audit workspace")
    window.until("the report", lambda: window.texts("iframe.webview"))
    window.browser.switch_to.frame(window.browser.find_element(By.CSS_SELECTOR, "iframe.webview"))
    window.until("the page", lambda: window.texts("#active-frame"))
    window.browser.switch_to.frame("active-frame")
    window.until("its heading and the finding", lambda: "shoal audit" in window.texts("body")[0] and RULE in window.texts("body")[0])
    window.browser.switch_to.default_content()


def test_a_notebook_in_a_real_window(window: Code) -> None:
    from selenium.webdriver.common.by import By

    window.browser.find_element(By.CSS_SELECTOR, ".explorer-folders-view .monaco-list-row[aria-label^='job.ipynb']").click()
    window.until("the squiggle in the second cell", lambda: len(window.texts(".notebookOverlay .squiggly-error")) == 1)
    window.until(
        "the line above its job",
        lambda: any("checkpoints every 1 min" in text for text in window.texts(".notebookOverlay .codelens-decoration")),
    )
