"""The same findings from other kinds of sessions: executors of their own, one of which dies, and Spark Connect."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.spark.conftest import CONF, ROOT, make_tree, need_java, write

# Ends the executor it runs in, once: a process of this machine that is found by its command line among our own ancestors.
ASSASSIN = """\
import os

def check(job, context):
    for setting in job.settings:
        if setting.text == "42ms":
            try:
                os.close(os.open({mark!r}, os.O_CREAT | os.O_EXCL))
            except FileExistsError:
                continue
            pid = os.getpid()
            while pid > 1:
                with open(f"/proc/{{pid}}/cmdline", "rb") as file:
                    if b"CoarseGrainedExecutorBackend" in file.read():
                        os.kill(pid, 9)
                        with open({mark!r}, "w") as told:
                            told.write(str(pid))
                        break
                with open(f"/proc/{{pid}}/stat") as file:
                    pid = int(file.read().rpartition(")")[2].split()[1])
    yield from ()
"""


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = make_tree(tmp_path_factory.mktemp("sessions"))
    write(folder, "marked/flink-conf.yaml", b"execution.checkpointing.timeout: 42ms\n")
    return folder


def run(folder: Path, file: Path, *arguments: object, **more: str) -> dict[str, Any]:
    """`shoal audit` in a process of its own, from `folder`; its JSON report."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "PYSPARK_PYTHON": sys.executable, **more}
    command = [sys.executable, "-m", "shoal", "audit", *map(str, arguments), "--format", "json", "--output", str(file)]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode in (0, 1, 2) and file.exists(), done.stderr[-3000:]
    found: dict[str, Any] = json.loads(file.read_text())
    return found


def test_an_executor_that_is_killed_costs_its_tasks_alone(tree: Path, tmp_path: Path) -> None:
    need_java()
    import pyspark

    mark = tmp_path / "mark"
    rule = b"id: own-assassin\nsummary: Ends the executor once\nseverity: error\nconfidence: high\nengines: [flink]\n"
    write(tmp_path, "own/rules/own_assassin/rule.yaml", rule)
    write(tmp_path, "own/rules/own_assassin/check.py", ASSASSIN.format(mark=str(mark)).encode())
    conf = {
        **CONF,
        "spark.master": "local-cluster[2,1,1024]",
        "spark.executorEnv.PYTHONPATH": str(ROOT / "src"),
        "spark.executor.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    }
    settings = [word for key, value in conf.items() for word in ("--spark-conf", f"{key}={value}")]
    home = str(Path(pyspark.__file__).parent)
    found = run(tree, tmp_path / "spark.json", "--rules", tmp_path / "own", "--engine", "spark", *settings, ".", SPARK_HOME=home)
    assert int(mark.read_text()) > 1, "no executor was killed"
    assert found == run(tree, tmp_path / "local.json", "--rules", tmp_path / "own", "--no-cache", ".")


def test_spark_connect_serves_as_well(tree: Path, tmp_path: Path) -> None:
    need_java()
    kept = tmp_path / "kept"
    arguments = ("--engine", "spark", "--spark-conf", "spark.remote=local[2]", "--tables", kept, ".")
    found = run(tree, tmp_path / "connect.json", *arguments)
    assert found == run(tree, tmp_path / "local.json", "--no-cache", ".")
    assert sorted(path.name for path in kept.iterdir()) == ["contents", "facts", "files", "findings", "jobs", "problems", "runs"]
