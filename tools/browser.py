"""How Chromium is started without a window: by the tests that look at pages and by the tool that takes the pictures."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from selenium.webdriver.chrome.options import Options

# Nothing of its own goes over the network; as root, in a container, it has no sandbox and little shared memory.
_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
)


def options(profile: object, *flags: str) -> Options:
    """Options for Selenium, with a folder for the profile and further flags."""
    from selenium import webdriver

    made = webdriver.ChromeOptions()
    made.binary_location = shutil.which("chromium") or ""
    for flag in (*_FLAGS, *flags, f"--user-data-dir={profile}"):
        made.add_argument(flag)
    return made
