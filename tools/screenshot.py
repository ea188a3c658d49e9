"""Takes the pictures of the docs in Chromium: docs/audit.png, the report of an audit of examples/incidents, and docs/editor.png, a job in VS Code.

Run by hand when one of them looks different: `python tools/screenshot.py [audit] [editor]`, both without a name.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))  # what is run is this file, not a module
LIMIT = 300_000  # bytes

JOB = {
    "requirements.txt": "apache-flink==1.20.0\n",
    "orders.py": """from pyflink.common import Configuration
from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.enable_checkpointing(60000)
env.get_checkpoint_config().set_checkpoint_timeout(500)
env.get_checkpoint_config().set_tolerable_checkpoint_failure_number(1000000)

stream = env.from_collection(["a", "b"])
stream.print()
env.execute("orders")
""",
    "conf/flink-conf.yaml": """jobmanager.rpc.address: jobmanager
taskmanager.numberOfTaskSlots: 2
state.backend.type: rocksdb
execution.checkpointing.timeout: 10 min
execution.checkpointing.dir: s3://orders/checkpoints
heartbeat.timeout: 10 mins
""",
}


def main() -> None:
    wanted = sys.argv[1:] or ["audit", "editor"]
    for name in wanted:
        target = ROOT / "docs" / f"{name}.png"
        with tempfile.TemporaryDirectory() as folder:
            {"audit": audit, "editor": editor}[name](target, Path(folder))
        size = target.stat().st_size
        if size > LIMIT:
            raise SystemExit(f"{target} has {size:,} bytes; {LIMIT:,} are the limit")


def audit(target: Path, folder: Path) -> None:
    from selenium import webdriver

    from tools.browser import options

    page = folder / "audit.html"
    command = [sys.executable, "-m", "shoal", "audit", "--exit-zero", "--quiet", "--report", str(page)]
    subprocess.run(command, cwd=ROOT / "examples/incidents", check=True, stdout=subprocess.DEVNULL)
    chromium = options(folder / "profile", "--hide-scrollbars", "--window-size=1100,1300")
    browser = webdriver.Chrome(options=chromium, service=webdriver.ChromeService(shutil.which("chromedriver")))
    try:
        browser.get(page.as_uri())
        browser.save_screenshot(str(target))
    finally:
        browser.quit()


def editor(target: Path, folder: Path) -> None:
    from selenium.webdriver.common.keys import Keys

    from tests.server import vscode

    job = folder / "orders"
    for name, text in JOB.items():
        (job / name).parent.mkdir(parents=True, exist_ok=True)
        (job / name).write_text(text)
    with vscode.started(vscode.build(), folder / "vscode", {}) as window:
        window.open(job, "orders.py")
        window.click(".monaco-dialog-box .monaco-button", "Yes, I trust")
        window.until("the line above the job", lambda: any("s3://orders" in text for text in window.texts(".codelens-decoration")))
        window.press(Keys.CONTROL, "b")  # no file list
        window.press(Keys.CONTROL, Keys.SHIFT, "m")  # problems
        window.until("the problems", lambda: any("invalid-duration" in text for text in window.texts(".markers-panel")))
        window.press(Keys.CONTROL, "1")
        window.go(6, 35)
        window.press(Keys.CONTROL, "k")
        window.press(Keys.CONTROL, "i")
        window.until("the hover", lambda: any("In force" in text for text in window.texts(".monaco-hover")))
        faded = "return getComputedStyle(document.querySelector('.monaco-editor .monaco-resizable-hover, .monaco-hover')).opacity"
        window.until("all of it", lambda: window.browser.execute_script(faded) == "1")
        window.browser.save_screenshot(str(target))


if __name__ == "__main__":
    main()
