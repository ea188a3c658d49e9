"""What a commit hook does not load: each of these takes as long as all that it does."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from shoal import rulebook

RUN = """
import json, sys
from shoal.cli import main
code = main(["check", "--no-cache", "-j", "1", "--format", "json", "--output", "report.json", sys.argv[1]])
print(json.dumps(sorted(sys.modules)))
"""
CONFIG = "execution:\n  checkpointing:\n    interval: 60 s\n    timeout: 1 s\n    dir: s3://bucket/checkpoints\nstate:\n  backend:\n    type: rocksdb\n"
PROGRAM = """from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.enable_checkpointing(60000)
env.get_checkpoint_config().set_checkpoint_timeout(500)
"""


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> dict[str, set[str]]:
    """The modules that checking a file loads, by its name."""
    rulebook.load()  # in a checkout the rules may have to be prepared first
    found = {}
    for name, text in (("config.yaml", CONFIG), ("job.py", PROGRAM)):
        folder = tmp_path_factory.mktemp("project")
        (folder / name).write_text(text)
        done = subprocess.run([sys.executable, "-c", RUN, name], cwd=folder, capture_output=True, text=True)
        findings = json.loads((folder / "report.json").read_text())["findings"]
        assert "checkpoint-timeout-too-short" in [finding["rule"] for finding in findings]
        found[name] = set(json.loads(done.stdout))
    return found


@pytest.mark.parametrize(
    "module",
    [
        "dataclasses",
        "inspect",
        "jsonschema",
        "libcst",
        "rich",
        "multiprocessing",
        "tree_sitter",
        "hcl2",
        "pathspec",
        "subprocess",
        "shoal.python",
    ],
)
def test_a_config_is_checked_without(module: str, loaded: dict[str, set[str]]) -> None:
    assert module not in loaded["config.yaml"]


@pytest.mark.parametrize("module", ["ruamel.yaml", "jsonschema", "rich", "tree_sitter", "hcl2", "pathspec"])
def test_a_program_is_checked_without(module: str, loaded: dict[str, set[str]]) -> None:
    assert module not in loaded["job.py"]


def test_a_worker_checks_a_file_without_what_puts_files_together() -> None:
    code = "import sys, shoal.core, shoal.python.module, shoal.templates.flink, shoal.templates.kafka; print(*sys.modules)"
    modules = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert "shoal.jobs.boundaries" in modules and "shoal.jobs.find" not in modules
