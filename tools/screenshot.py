"""Takes docs/audit.png: the report of an audit of examples/incidents, in Chromium. Run by hand when the page looks different."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
FLAGS = "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync"
LIMIT = 300_000  # bytes


def main() -> None:
    from selenium import webdriver

    target = ROOT / "docs/audit.png"
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder, "audit.html")
        audit = [sys.executable, "-m", "shoal", "audit", "--exit-zero", "--quiet", "--report", str(page)]
        subprocess.run(audit, cwd=ROOT / "examples/incidents", check=True, stdout=subprocess.DEVNULL)
        options = webdriver.ChromeOptions()
        options.binary_location = shutil.which("chromium") or "chromium"
        for flag in (*FLAGS.split(), "--hide-scrollbars", "--window-size=1100,1300", f"--user-data-dir={folder}/profile"):
            options.add_argument(flag)
        browser = webdriver.Chrome(options=options, service=webdriver.ChromeService(shutil.which("chromedriver")))
        try:
            browser.get(page.as_uri())
            browser.save_screenshot(str(target))
        finally:
            browser.quit()
    size = target.stat().st_size
    if size > LIMIT:
        raise SystemExit(f"{target} has {size:,} bytes; {LIMIT:,} are the limit")


if __name__ == "__main__":
    main()
