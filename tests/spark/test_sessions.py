"""The same findings from other kinds of sessions: executors of their own, one of which dies, and Spark Connect."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from shoal.cli import main
from tests.spark.conftest import CONF, ROOT, make_tree, need_java, write
from tests.spark.environments import Shipped

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

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


@pytest.fixture(scope="module")
def local(tree: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the local engine says of the tree."""
    return run(tree, tmp_path_factory.mktemp("local") / "local.json", "--no-cache", ".")


def run(folder: Path, file: Path, *arguments: object, python: str = sys.executable, **more: str) -> dict[str, Any]:
    """`shoal audit` in a process of its own, from `folder`; its JSON report."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "PYSPARK_PYTHON": python, **more}
    environment.pop("SHOAL_DEBUG", None)
    command = [python, "-m", "shoal", "audit", *map(str, arguments), "--format", "json", "--output", str(file)]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode in (0, 1, 2) and file.exists(), done.stderr[-3000:]
    only_shoal_speaks(done)
    found: dict[str, Any] = json.loads(file.read_text())
    return found


def only_shoal_speaks(done: subprocess.CompletedProcess[str]) -> None:
    """... and says nothing but which files have problems, whatever Spark and Java have to say."""
    assert done.stdout == ""
    assert [line for line in done.stderr.splitlines() if not line.startswith("shoal: problem[")] == []


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


def test_a_server_of_spark_connect_in_our_own_process_serves_as_well(tree: Path, local: dict[str, Any], tmp_path: Path) -> None:
    need_java()
    assert run(tree, tmp_path / "connect.json", "--engine", "spark", "--spark-conf", "spark.remote=local[2]", ".") == local


def test_pyspark_3_5_serves_as_well(tree: Path, local: dict[str, Any], without_shoal: Path, tmp_path: Path) -> None:
    need_java()
    kept = tmp_path / "kept"
    found = run(tree, tmp_path / "spark.json", "--engine", "spark", "-j", "2", "--tables", kept, ".", python=str(without_shoal))
    assert found == local
    assert sorted(path.name for path in kept.iterdir()) == TABLES


# -- a server of Spark Connect in another process ---------------------------------------------------------------------------------------------

TABLES = ["contents", "facts", "files", "findings", "jobs", "problems", "runs"]
# Says on standard output when the server is there, and where.
SERVER_LOG = """\
status = off
appender.out.type = Console
appender.out.name = out
appender.out.layout.type = PatternLayout
appender.out.layout.pattern = %m%n
rootLogger.level = off
rootLogger.appenderRef.out.ref = out
logger.server.name = org.apache.spark.sql.connect.service.SparkConnectServer
logger.server.level = info
"""


@pytest.fixture(scope="module")
def server(without_shoal: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server on loopback whose Python has no shoal, though what shoal needs."""
    need_java()
    import pyspark

    folder = tmp_path_factory.mktemp("server")
    write(folder, "log4j2.properties", SERVER_LOG.encode())
    java = CONF["spark.driver.extraJavaOptions"].partition(" -Dlog4j2")[0]
    conf = {
        **CONF,
        "spark.driver.extraJavaOptions": f"{java} -Dlog4j2.configurationFile={folder / 'log4j2.properties'}",
        "spark.connect.grpc.binding.address": "127.0.0.1",
        "spark.connect.grpc.binding.port": "0",
    }
    home = Path(pyspark.__file__).parent
    without = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "SPARK_REMOTE")}
    settings = {**without, "SPARK_HOME": str(home), "PYSPARK_PYTHON": str(without_shoal)}
    command = [str(home / "bin" / "spark-submit"), "--master", "local[2]", "--name", "server"]
    command += [word for key, value in conf.items() for word in ("--conf", f"{key}={value}")]
    command += ["--class", "org.apache.spark.sql.connect.service.SparkConnectServer", "spark-internal"]
    with (
        open(folder / "err", "w+") as errors,
        subprocess.Popen(command, cwd=folder, env=settings, stdout=subprocess.PIPE, stderr=errors, text=True) as process,
    ):
        try:
            assert process.stdout is not None
            started = next((line for line in process.stdout if " started at" in line), "")
            port = re.search(r":(\d+)\W*$", started)
            assert port, (folder / "err").read_text()[-3000:]
            yield f"sc://127.0.0.1:{port[1]}"
        finally:
            process.terminate()


def test_a_server_elsewhere_serves_as_well(server: str, tree: Path, local: dict[str, Any], tmp_path: Path) -> None:
    write(tmp_path, "python", f'#!/bin/sh\nPYTHONPATH={ROOT / "src"}:$PYTHONPATH exec {sys.executable} "$@"\n'.encode())
    (tmp_path / "python").chmod(0o755)
    python = ("--spark-conf", f"spark.sql.execution.pyspark.python={tmp_path / 'python'}")
    kept = tmp_path / "kept"
    found = run(tree, tmp_path / "connect.json", "--engine", "spark", "--tables", kept, *python, ".", SPARK_REMOTE=server)
    assert found == local
    assert sorted(path.name for path in kept.iterdir()) == TABLES


def test_a_server_without_shoal_is_told_of(server: str, tree: Path) -> None:
    command = [sys.executable, "-m", "shoal", "audit", "--engine", "spark", "."]
    settings = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "SPARK_REMOTE": server}
    done = subprocess.run(command, cwd=tree, env=settings, capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "shoal: Spark could not finish the audit: ModuleNotFoundError: No module named 'shoal'\n"


@pytest.mark.parametrize("way", ["wheel", "archive"])
def test_shoal_is_sent_to_a_server_that_has_none(
    server: str, tree: Path, local: dict[str, Any], shipped: Shipped, tmp_path: Path, way: str
) -> None:
    job = ROOT / "examples" / "audit-on-spark" / "connect_job.py"
    package = shipped.zip if way == "wheel" else shipped.archive
    command = [sys.executable, str(job), server, str(package), ".", "--format", "json", "--output", str(tmp_path / "found.json")]
    settings = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(command, cwd=tree, env=settings, capture_output=True, text=True, timeout=300)
    assert done.returncode == 2, done.stderr[-3000:]
    only_shoal_speaks(done)
    assert json.loads((tmp_path / "found.json").read_text()) == local


# -- what is said, and what is left as it was -------------------------------------------------------------------------------------------------


def test_why_spark_does_not_start_is_said_in_a_line(tree: Path) -> None:
    need_java()
    for conf, why in (
        ("spark.driver.memory=1k", "Spark does not start: Error occurred during initialization of VM: Too small maximum heap"),
        ("spark.remote=sc://127.0.0.1:1/;token=secret", "no Spark Connect server answers at sc://127.0.0.1:1/"),
    ):
        command = [sys.executable, "-m", "shoal", "audit", "--engine", "spark", "--spark-conf", conf, "."]
        settings = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
        done = subprocess.run(command, cwd=tree, env=settings, capture_output=True, text=True, timeout=300)
        assert (done.returncode, done.stdout, done.stderr) == (2, "", f"shoal: {why}\n")


def test_who_debugs_sees_what_java_says(tree: Path) -> None:
    need_java()
    command = [sys.executable, "-m", "shoal", "audit", "--engine", "spark", "--spark-conf", "spark.driver.memory=1k", "."]
    settings = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "SHOAL_DEBUG": "1"}
    done = subprocess.run(command, cwd=tree, env=settings, capture_output=True, text=True, timeout=300)
    assert done.returncode == 2 and "\nToo small maximum heap\n" in done.stdout + done.stderr


def test_a_session_that_was_there_is_left_as_it_was(spark: SparkSession, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    write(tmp_path, "flink-conf.yaml", b"restart-strategy.type: fixed-delay\nrestart-strategy.fixed-delay.attempts: 2147483647\n")
    spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", "777")
    spark.conf.set("spark.sql.sources.partitionColumnTypeInference.enabled", "true")
    spark.conf.unset("spark.ours")
    before = dict(spark.conf.getAll)
    arguments = ["audit", "--engine", "spark", "--spark-conf", "spark.sql.shuffle.partitions=3", "--spark-conf", "spark.ours=1"]
    assert main([*arguments, str(tmp_path)]) == 1
    assert dict(spark.conf.getAll) == before
    assert main([*arguments, "--spark-conf", "spark.executor.memory=3g", str(tmp_path)]) == 2
    assert "--spark-conf spark.executor.memory=3g: this session runs already" in capfd.readouterr().err
    assert dict(spark.conf.getAll) == before
    assert spark.range(3).count() == 3
