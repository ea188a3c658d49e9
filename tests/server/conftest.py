"""Real servers, each with a workspace of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.server.client import Editor

BAD = "execution:\n  checkpointing:\n    interval: 60 s\n    timeout: 1 s # tiny\n"
GOOD = BAD.replace("1 s #", "10 min #")
RULE = "checkpoint-timeout-too-short"
PYTHON = (
    "from pyflink.datastream import StreamExecutionEnvironment\n"
    "env = StreamExecutionEnvironment.get_execution_environment()\n"
    "env.enable_checkpointing(60000)\n"
    "env.get_checkpoint_config().set_checkpoint_timeout(500)\n"
)
# Only what the tests speak of, so that new rules do not disturb them.
SETTINGS = f'select = ["{RULE}", "duration-without-unit", "invalid-duration", "unused-suppression", "suppression-without-reason"]\n'

Start = Callable[..., Editor]


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return {"SHOAL_CACHE_DIR": str(tmp_path_factory.mktemp("cache"))}


@pytest.fixture
def start(cache: dict[str, str]) -> Iterator[Start]:
    """Starts servers, and ends them whatever happens."""
    editors: list[Editor] = []

    def begin(*folders: Path, **arguments: Any) -> Editor:
        editor = Editor(*folders, environment=cache, **arguments)
        editors.append(editor)
        return editor

    yield begin
    for editor in editors:
        editor.kill()


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("workspace")
    (folder / "shoal.toml").write_text(SETTINGS)
    return folder


@pytest.fixture(scope="module")
def editor(workspace: Path, cache: dict[str, str]) -> Iterator[Editor]:
    """One server for tests that do not disturb each other; each uses files of its own."""
    one = Editor(workspace, environment=cache)
    yield one
    one.kill()
