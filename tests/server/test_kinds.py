"""Every kind of file that is read, in the editor and without a server: the same findings, and lines that the documented patterns take apart."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.server.client import Editor
from tests.server.conftest import BAD, PYTHON, RULE, Start

CLIENT = "heartbeat-not-below-session-timeout"
SELECT = f'select = ["{RULE}", "{CLIENT}"]\n'
MANIFEST = """apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
metadata:
  name: orders
spec:
  flinkConfiguration:
    execution.checkpointing.interval: 60 s
    execution.checkpointing.timeout: 1 s
"""
COMPOSE = """services:
  jobmanager:
    image: flink:1.20.0
    command: jobmanager
    environment:
      FLINK_PROPERTIES: |
        execution.checkpointing.interval: 60 s
        execution.checkpointing.timeout: 1 s
"""
FILES = [
    ("job.py", PYTHON, RULE),
    ("job.ipynb", json.dumps({"cells": [{"cell_type": "code", "source": PYTHON.splitlines(keepends=True)}]}, indent=1), RULE),
    ("conf/flink-conf.yaml", "execution.checkpointing.timeout: 1 s\n", RULE),
    ("conf/config.yaml", BAD, RULE),
    ("q.sql", "SET 'execution.checkpointing.interval' = '60 s';\nSET 'execution.checkpointing.timeout' = '1 s';\n", RULE),
    ("orders.yaml", MANIFEST, RULE),
    ("docker-compose.yml", COMPOSE, RULE),
    (
        "Dockerfile",
        'FROM flink:1.20.0\nRUN echo "execution.checkpointing.timeout: 1 s" >> /opt/flink/conf/flink-conf.yaml\n',
        RULE,
    ),
    ("run.sh", "flink run -D execution.checkpointing.interval=60s -D execution.checkpointing.timeout=1s -py job.py\n", RULE),
    ("app.properties", "bootstrap.servers=b:9092\ngroup.id=g\nsession.timeout.ms=10000\nheartbeat.interval.ms=10000\n", CLIENT),
]
DOCS = (Path(__file__).parents[2] / "docs" / "editors.md").read_text()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("kinds")
    (folder / "shoal.toml").write_text(SELECT)
    return folder


@pytest.fixture(scope="module")
def window(folder: Path, cache: dict[str, str]):  # type: ignore[no-untyped-def]
    one = Editor(folder, environment=cache)
    yield one
    one.kill()


@pytest.mark.parametrize("name, text, rule", FILES, ids=[name for name, _, _ in FILES])
def test_each_kind_in_the_editor_and_without_a_server(window: Editor, folder: Path, name: str, text: str, rule: str) -> None:
    (found,) = window.until(window.open(folder / name, text), rule)
    command = [sys.executable, "-m", "shoal", "check", "--format", "concise", "--stdin-filename", name]
    done = subprocess.run(command, cwd=folder, input=text.encode(), capture_output=True, timeout=60)
    assert done.returncode == 1 and not done.stderr
    (line,) = done.stdout.decode().splitlines()
    severity = {1: "error", 2: "warning", 3: "info"}[found["severity"]]
    place = found["range"]["start"]
    assert line.startswith(f"{name}:{place['line'] + 1}:{place['character'] + 1}: {severity} [{rule}] ")
    for pattern in (none_ls(), ale(), efm(severity)):
        match = re.match(pattern, line)
        assert match is not None and match.group(1) == str(place["line"] + 1) and rule in line[match.start(2) :], pattern
    fixed = subprocess.run(command, cwd=folder, input=b"", capture_output=True, timeout=60)
    assert (fixed.returncode, fixed.stdout) == (0, b"")


def none_ls() -> str:
    """The Lua pattern of the docs as a regular expression."""
    (pattern,) = re.findall(r'from_pattern\(\s*"([^"]+)"', DOCS)
    return pattern.replace("%d", r"\d").replace("%w-", r"\w-").replace("%w", r"\w").replace("%[", r"\[").replace("%]", r"\]")


def ale() -> str:
    """Vim's very magic pattern of the docs."""
    (pattern,) = re.findall(r"matchlist\(line, '\\v(\^[^']+)'", DOCS)
    return pattern.replace(".{-}", ".*?")


def efm(severity: str) -> str:
    """The line of the docs' error formats for a severity."""
    (pattern,) = [one for one in re.findall(r"'(%f:[^']+)'", DOCS) if f"%t{severity[1:]}" in one]
    text = re.escape(pattern).replace("%f", r"[^:]+", 1).replace("%l", r"(\d+)").replace("%c", r"(\d+)")
    return text.replace("%t", f"({severity[0]})").replace("%m", "(.*)")


def test_what_is_typed_is_checked_in_each_kind(start: Start, folder: Path) -> None:
    editor = start(folder)
    for name, text, rule in FILES:
        uri = editor.open(folder / "typed" / name, "")
        assert editor.until(uri) == []
        editor.edit(uri, {"text": text})
        editor.until(uri, rule)
        editor.edit(uri, {"text": "" if not name.endswith("ipynb") else "{}"})
        assert editor.until(uri) == []
