"""A real VS Code with the packaged extension: its server part runs under Node.js, Chromium shows it. The picture in the docs is taken with it too."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from tools.browser import options

if TYPE_CHECKING:
    from selenium.webdriver.chrome.webdriver import WebDriver

ROOT = Path(__file__).parents[2]
EXTENSION = ROOT / "editors" / "vscode"
WAIT = 60.0


def missing() -> str:
    """What is not installed that all this needs; empty when nothing is. `tools/system.sh` installs it."""
    return ", ".join(name for name in ("node", "npm", "chromium", "chromedriver") if shutil.which(name) is None)


def build() -> Path:
    """Get VS Code and the extension's packages (once), and package the extension; the folder of VS Code's server."""
    done = subprocess.run([str(ROOT / "tools" / "vscode.sh")], capture_output=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr.decode()
    subprocess.run(["npm", "run", "--silent", "package"], cwd=EXTENSION, capture_output=True, timeout=120, check=True)
    return Path(done.stdout.decode().strip())


class Code:
    """One window with a folder open."""

    def __init__(self, browser: WebDriver, address: str, log: Path) -> None:
        self.browser = browser
        self._address = address
        self._log = log

    def open(self, folder: Path, file: str) -> None:
        host = self._address.removeprefix("http://")
        payload = json.dumps([["openFile", f"vscode-remote://{host}{quote(str(folder / file))}"]])
        self.browser.get(f"{self._address}/?folder={quote(str(folder))}&payload={quote(payload)}")

    def texts(self, selector: str, attribute: str = "") -> list[str]:
        """What elements say, read at one moment: the page redraws itself all the time."""
        what = f"one.getAttribute({attribute!r})" if attribute else "one.innerText"
        script = f"return [...document.querySelectorAll({selector!r})].map(one => {what} || '')"
        return [text.replace("\xa0", " ") for text in self.browser.execute_script(script)]

    def until(self, what: str, seen: Callable[[], object]) -> None:
        """Wait until something is to be seen."""
        end = time.monotonic() + WAIT
        while not seen():
            if time.monotonic() > end:
                self.browser.save_screenshot(str(self._log.with_name("window.png")))
                raise AssertionError(f"not seen: {what}; the window says: {self.texts('body')[0][-2000:]}\n{self._said()}")
            time.sleep(0.1)

    def _said(self) -> str:
        return "\n".join(line for line in self._log.read_text().splitlines() if "spdlog" not in line)[-2000:]

    def status(self) -> str:
        """What the extension's status item says, its tooltip included."""
        return next((text for text in self.texts(".statusbar-item", "aria-label") if "shoal" in text), "")

    def click(self, selector: str, text: str) -> None:
        script = f"const found = [...document.querySelectorAll({selector!r})].find(one => one.innerText.includes({text!r})); if (found) found.click(); return !!found"
        self.until(text, lambda: self.browser.execute_script(script))

    def press(self, *keys: str) -> None:
        """Keys held down together."""
        from selenium.webdriver.common.action_chains import ActionChains

        chain = ActionChains(self.browser)
        for key in keys:
            chain.key_down(key)
        for key in reversed(keys):
            chain.key_up(key)
        chain.perform()

    def type(self, text: str) -> None:
        from selenium.webdriver.common.action_chains import ActionChains

        ActionChains(self.browser).send_keys(text).perform()

    def command(self, title: str) -> None:
        """A command by its title."""
        from selenium.webdriver.common.keys import Keys

        self.press(Keys.F1)
        self.until("the list of commands", lambda: self.texts(".quick-input-list .monaco-list-row"))
        self.type(title)
        self.until(title, lambda: any(title in text for text in self.texts(".quick-input-list .monaco-list-row.focused", "aria-label")))
        self.type(Keys.ENTER)

    def go(self, line: int, column: int) -> None:
        """Put the cursor somewhere."""
        from selenium.webdriver.common.keys import Keys

        wanted = f"Ln {line}, Col {column}"
        self.press(Keys.CONTROL, "g")
        self.until("the box for a line", lambda: any(self.texts(".quick-input-widget:not([style*='none']) .quick-input-list")))
        self.type(f"{line}:{column}")
        self.type(Keys.ENTER)
        self.until(wanted, lambda: wanted in "\n".join(self.texts(".statusbar-item")))


@contextlib.contextmanager
def started(code: Path, scratch: Path, environment: dict[str, str]) -> Iterator[Code]:
    """VS Code with the extension installed from its package, and a browser; `scratch` keeps what they write."""
    from selenium import webdriver

    main = ["node", str(code / "out" / "server-main.js"), "--accept-server-license-terms"]
    main += [f"--extensions-dir={scratch}/extensions", f"--user-data-dir={scratch}/data", f"--server-data-dir={scratch}/server"]
    machine = scratch / "data" / "Machine"
    machine.mkdir(parents=True)
    machine.joinpath("settings.json").write_text(json.dumps({"shoal.path": str(Path(sys.executable).with_name("shoal"))}))
    environment = {**os.environ, **environment}
    install = subprocess.run(
        [*main, "--install-extension", str(EXTENSION / "shoal.vsix")], env=environment, capture_output=True, timeout=120
    )
    assert b"successfully installed" in install.stdout, (install.stdout + install.stderr).decode()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    log = scratch / "log"
    chromium = options(scratch / "profile", "--hide-scrollbars", "--window-size=1100,797")
    arguments = [*main, "--host=127.0.0.1", f"--port={port}", "--without-connection-token", "--telemetry-level=off"]
    with log.open("wb") as output, subprocess.Popen(arguments, env=environment, stdout=output, stderr=output) as process:
        try:
            end = time.monotonic() + WAIT
            while socket.socket().connect_ex(("127.0.0.1", port)):
                assert process.poll() is None and time.monotonic() < end, log.read_text()
                time.sleep(0.1)
            browser = webdriver.Chrome(options=chromium, service=webdriver.ChromeService(shutil.which("chromedriver")))
            try:
                browser.set_page_load_timeout(WAIT)
                yield Code(browser, f"http://127.0.0.1:{port}", log)
            finally:
                browser.quit()
        finally:
            process.terminate()
