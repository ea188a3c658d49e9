"""The files of examples/audit-on-spark start, as far as this machine can start them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

from ruamel.yaml import YAML

from shoal import rulebook_build
from shoal.cli import main
from tests.spark.conftest import CONF, ROOT, git, need_java, write

EXAMPLES = ROOT / "examples" / "audit-on-spark"
BIN = Path(sys.executable).parent
CALM = b"restart-strategy.type: exponential-delay\n"
RESTLESS = b"restart-strategy: fixed-delay\nrestart-strategy.fixed-delay.attempts: 2147483647\n"


def environment(folder: Path) -> dict[str, str]:
    import pyspark

    # the test's own shoal comes first wherever `shoal` is called
    (folder / "bin").mkdir(exist_ok=True)
    (folder / "bin" / "shoal").write_text(f'#!/bin/sh\nexec {sys.executable} -m shoal "$@"\n')
    (folder / "bin" / "shoal").chmod(0o755)
    return {
        **os.environ,
        "PATH": f"{folder / 'bin'}:{BIN}:{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT / "src"),
        "PYSPARK_PYTHON": sys.executable,
        "SPARK_HOME": str(Path(pyspark.__file__).parent),
    }


def test_spark_submit_runs_the_job_with_shoal_by_py_files(tmp_path: Path) -> None:
    need_java()
    wheel = tmp_path / "shoal.zip"
    prepared = tmp_path / "rulebook.json"
    assert rulebook_build.main([str(ROOT / "rules"), str(prepared)]) == 0
    with zipfile.ZipFile(wheel, "w") as archive:  # what tools/build_hook.py puts into the wheel
        for path in (ROOT / "src").rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts:
                text = path.read_bytes()
                archive.writestr(
                    str(path.relative_to(ROOT / "src")), text if path.parts[-2:] != ("shoal", "__init__.py") else b'__version__ = "9.9.9"\n'
                )
        archive.write(prepared, "shoal/_rules/rulebook.json")
        for path in (ROOT / "rules").rglob("*"):
            if path.is_file() and not {"__pycache__", "cases"} & set(path.parts):
                archive.write(path, f"shoal/_rules/{path.relative_to(ROOT / 'rules')}")
    write(tmp_path, "tree/flink-conf.yaml", RESTLESS)
    conf = [word for key, value in CONF.items() for word in ("--conf", f"{key}={value}")]
    command = ["spark-submit", "--master", "local[2]", *conf, "--py-files", str(wheel), str(EXAMPLES / "audit_job.py")]
    command += ["--tables", str(tmp_path / "kept"), str(tmp_path / "tree")]
    settings = environment(tmp_path)
    del settings["PYTHONPATH"]
    done = subprocess.run(command, cwd=tmp_path, env=settings, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-3000:]
    assert "endless-fast-restarts" in done.stdout
    import pyarrow.dataset

    runs = pyarrow.dataset.dataset(tmp_path / "kept" / "runs").to_table().to_pylist()
    assert [(run["shoal"], run["files"]) for run in runs] == [("9.9.9", 1)]


def test_the_nightly_audit_says_what_is_new(tmp_path: Path) -> None:
    need_java()
    for name in ("orders", "payments"):
        write(tmp_path, f"work/{name}/flink-conf.yaml", CALM)
        git(tmp_path, "init", "-q", "-b", "main", f"work/{name}")
        git(tmp_path / "work" / name, "add", "-A")
        git(tmp_path / "work" / name, "commit", "-qm", "one")
        git(tmp_path, "clone", "-q", "--mirror", f"work/{name}", f"mirrors/{name}.git")

    def night() -> subprocess.CompletedProcess[str]:
        command = [str(EXAMPLES / "nightly.sh"), str(tmp_path / "mirrors"), str(tmp_path / "kept")]
        return subprocess.run(command, cwd=tmp_path, env=environment(tmp_path), capture_output=True, text=True, timeout=300)

    first = night()
    assert first.returncode == 0, first.stderr[-3000:]
    write(tmp_path, "work/orders/flink-conf.yaml", RESTLESS)
    git(tmp_path / "work" / "orders", "commit", "-qam", "two")
    second = night()
    assert second.returncode == 1, second.stderr[-3000:]
    assert "endless-fast-restarts" in second.stdout and "orders.git" in second.stdout and "payments.git" not in second.stdout


def test_the_files_for_clusters_are_what_shoal_itself_would_let_pass() -> None:
    assert main(["check", "--no-cache", str(EXAMPLES)]) == 0
    for path in EXAMPLES.glob("*.yaml"):
        told = YAML(typ="safe").load(path.read_text())
        spec = told["spec"].get("template", told["spec"])
        assert (
            spec["mainApplicationFile"] == "local:///opt/shoal/audit_job.py"
            and "COPY audit_job.py /opt/shoal/" in (EXAMPLES / "Dockerfile").read_text()
        )
        assert main(["audit", "--engine", "spark", *spec["arguments"], "--spark-conf", "nothing"]) == 2, (
            "the arguments are known, the last apart"
        )
    job = json.loads((EXAMPLES / "databricks-job.json").read_text())
    parameters = job["tasks"][0]["spark_python_task"]["parameters"]
    assert main(["audit", "--engine", "spark", *parameters, "--spark-conf", "nothing"]) == 2


def test_the_script_for_the_night_is_sound() -> None:
    assert shutil.which("sh")
    assert subprocess.run(["sh", "-n", str(EXAMPLES / "nightly.sh")]).returncode == 0
