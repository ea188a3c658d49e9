"""Runs the real command in a process of its own, with a cache folder of its own."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from shoal import rulebook, rulebook_build

TIMEOUT = 60


class Ran(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def report(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.out)
        return found

    @property
    def rules(self) -> list[str]:
        return [finding["rule"] for finding in self.report["findings"] if finding["status"] == "open"]


Shoal = Callable[..., Ran]


@lru_cache(maxsize=1)
def _built() -> Path:
    return rulebook_build.refresh(rulebook.built_in_folder())


def with_rulebook(cache: Path) -> Path:
    """A cache folder in which all that is remembered is what rules there are: to build that out of a checkout takes seconds for each test."""
    if not rulebook.packaged():
        cache.mkdir(exist_ok=True)
        shutil.copy(_built(), cache)
    return cache


@pytest.fixture
def shoal(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Shoal:
    """`shoal("check", "--format", "json")` runs the command in `tmp_path` (or `cwd=`); output is text unless `raw`."""
    cache = with_rulebook(tmp_path_factory.mktemp("cache"))

    def run(*arguments: str | Path, cwd: Path | None = None, stdin: bytes = b"", environment: dict[str, str] | None = None) -> Ran:
        done = subprocess.run(
            [sys.executable, "-m", "shoal", *map(os.fspath, arguments)],
            cwd=cwd or tmp_path,
            input=stdin,
            capture_output=True,
            timeout=TIMEOUT,
            env={**os.environ, "SHOAL_CACHE_DIR": str(cache), "NO_COLOR": "", **(environment or {})},
        )
        return Ran(done.returncode, done.stdout.decode("utf-8", "surrogateescape"), done.stderr.decode("utf-8", "surrogateescape"))

    return run


BAD = "execution:\n  checkpointing:\n    interval: 60 s\n    timeout: 1 s # tiny\n"
GOOD = BAD.replace("1 s #", "10 min #")
RULE = "checkpoint-timeout-too-short"
ONLY = ("--select", RULE)


def write(folder: Path, files: dict[str, str | bytes]) -> None:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
