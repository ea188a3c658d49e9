"""The files of examples/audit-on-spark start: by spark-submit, in what else starts a job, and are what clusters read."""

from __future__ import annotations

import json
import os
import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest
from ruamel.yaml import YAML

from shoal import __version__
from shoal.cli import main
from tests.spark.conftest import CONF, ROOT, git, need_java, write
from tests.spark.environments import Shipped, environment

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

EXAMPLES = ROOT / "examples" / "audit-on-spark"
BIN = Path(sys.executable).parent
CALM = b"restart-strategy.type: exponential-delay\n"
RESTLESS = b"restart-strategy.type: fixed-delay\nrestart-strategy.fixed-delay.attempts: 2147483647\n"
# Whose schemas the examples must fit.
OPERATOR = "github.com/kubeflow/spark-operator/v2@v2.5.2"
SDK = "databricks-sdk>=0.60"


def home() -> Path:
    import pyspark

    return Path(pyspark.__file__).parent


def submit(folder: Path, *words: object, job: Path = EXAMPLES / "audit_job.py", **more: str) -> subprocess.CompletedProcess[str]:
    """`spark-submit` of the job over `folder`/tree, where neither the driver nor the executors find shoal but by what is shipped with it."""
    settings = {
        name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYSPARK_PYTHON", "SPARK_REMOTE", "VIRTUAL_ENV")
    }
    conf = {**CONF, "spark.executor.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"}
    command = [str(home() / "bin" / "spark-submit"), *(word for key, value in conf.items() for word in ("--conf", f"{key}={value}"))]
    command += [*map(str, words), str(job), "--tables", str(folder / "kept"), str(folder / "tree")]
    environment = {**settings, "SPARK_HOME": str(home()), **more}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300)


def runs(folder: Path) -> list[tuple[object, ...]]:
    """(version, files, findings, problems) of every run that is kept."""
    import pyarrow.dataset

    rows = pyarrow.dataset.dataset(folder / "kept" / "runs").to_table().to_pylist()
    return [(row["shoal"], row["files"], row["findings"], row["problems"]) for row in rows]


# -- spark-submit, to executors that are other processes -------------------------------------------------------------------------------------


def test_spark_submit_with_an_archive_needs_nothing_on_the_cluster(shipped: Shipped, tmp_path: Path) -> None:
    need_java()
    write(tmp_path, "tree/flink-conf.yaml", RESTLESS)
    options = ("--master", "local-cluster[2,1,1024]", "--archives", f"{shipped.archive}#env")
    # as on a cluster in client mode: the driver runs in an environment that is there, the executors in the one that is sent
    done = submit(tmp_path, *options, PYSPARK_PYTHON="./env/bin/python", PYSPARK_DRIVER_PYTHON=str(shipped.python))
    assert done.returncode == 0, done.stderr[-3000:]
    assert "endless-fast-restarts" in done.stdout
    assert runs(tmp_path) == [(__version__, 1, 1, 0)]


def test_spark_submit_with_the_wheel_needs_what_shoal_needs(shipped: Shipped, without_shoal: Path, tmp_path: Path) -> None:
    need_java()
    write(tmp_path, "tree/flink-conf.yaml", RESTLESS)
    options = ("--master", "local-cluster[2,1,1024]", "--py-files", shipped.zip)
    done = submit(tmp_path, *options, PYSPARK_PYTHON=str(without_shoal))
    assert done.returncode == 0, done.stderr[-3000:]
    assert "endless-fast-restarts" in done.stdout
    assert runs(tmp_path) == [(__version__, 1, 1, 0)]


# -- Kubernetes ----------------------------------------------------------------------------------------------------------------------------------


def test_the_driver_of_the_operator_starts_as_in_its_image(shipped: Shipped, tmp_path: Path) -> None:
    """What the image's entry point runs in the driver's pod, with folders in the place of buckets and of the master."""
    need_java()
    spec = applications()["sparkapplication.yaml"]["spec"]
    write(tmp_path, "tree/flink-conf.yaml", RESTLESS)
    write(tmp_path, "tree/values.yaml", b"flink: [\n")
    write_table(tmp_path / "tree", tmp_path / "repositories")
    places = {"s3a://platform/shoal": str(tmp_path / "kept"), "parquet:s3a://platform/repositories": f"parquet:{tmp_path / 'repositories'}"}
    shutil.copy(EXAMPLES / Path(spec["mainApplicationFile"]).name, tmp_path)
    conf = {
        **CONF,
        **spec["sparkConf"],
        "spark.sql.shuffle.partitions": "4",
        "spark.master": "local[2]",
        "spark.submit.deployMode": "client",
    }
    write(tmp_path, "spark.properties", "".join(f"{key} {value}\n" for key, value in conf.items()).encode())
    command = [str(home() / "bin" / "spark-submit"), "--conf", "spark.driver.bindAddress=127.0.0.1"]
    command += ["--deploy-mode", "client", "--properties-file", str(tmp_path / "spark.properties")]
    command += ["--class", "org.apache.spark.deploy.PythonRunner", f"local://{tmp_path / 'audit_job.py'}"]
    command += [places.get(word, word) for word in spec["arguments"]]
    # no settings of ours: `python3` is what comes first on PATH, and the user of the image has no home
    environment = {
        "PATH": f"{shipped.python.parent}:{os.environ['PATH']}",
        "HOME": str(tmp_path / "spark.properties"),
        "SPARK_HOME": str(home()),
    }
    environment |= {name: os.environ[name] for name in ("JAVA_HOME",) if name in os.environ}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-3000:]  # neither a finding nor a file that is broken is a reason to try again
    assert runs(tmp_path) == [(__version__, 2, 1, 1)]


def test_a_job_that_does_not_come_to_its_end_fails(tmp_path: Path) -> None:
    """... for which `restartPolicy: OnFailure` is there. No Spark is needed to see that settings are wrong."""
    write(tmp_path, "shoal.toml", b"selct = []\n")
    for arguments in (["--tables", str(tmp_path / "kept"), "."], ["."], ["--table", "nonsense"], ["--nonsense"]):
        command = [sys.executable, str(EXAMPLES / "audit_job.py"), *arguments]
        done = subprocess.run(command, cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT / "src")}, capture_output=True, text=True)
        assert done.returncode != 0, arguments
        told = done.stdout + done.stderr
        assert "Traceback" not in told and re.search("selct|nonsense", told), arguments


def test_the_applications_are_what_the_operator_reads(tmp_path: Path) -> None:
    if not shutil.which("go"):
        (pytest.fail if os.environ.get("CI") else pytest.skip)("go is not installed, by which the operator's schema comes")
    command = ["go", "mod", "download", "-json", OPERATOR]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    crds = Path(json.loads(done.stdout)["Dir"], "config", "crd", "bases")
    schemas = {}
    for path in crds.glob("*.yaml"):
        crd = YAML(typ="safe").load(path.read_text())
        for version in crd["spec"]["versions"]:
            schemas[crd["spec"]["names"]["kind"], f"{crd['spec']['group']}/{version['name']}"] = closed(
                version["schema"]["openAPIV3Schema"]
            )
    told = applications()
    for name, application in told.items():
        schema = schemas[application["kind"], application["apiVersion"]]
        errors = jsonschema.Draft202012Validator(schema).iter_errors(application)
        assert [(name, error.json_path, error.message) for error in errors] == []
    assert len(told) == 2


def closed(schema: Any) -> Any:
    """A schema as the API server applies it: a field that it does not name is lost."""
    if isinstance(schema, list):
        return [closed(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    found = {name: closed(item) for name, item in schema.items()}
    # the metadata of an object is of Kubernetes' own schema
    return (
        {**found, "additionalProperties": False} if isinstance(found.get("properties"), dict) and found.get("type") == "object" else found
    )


def applications() -> dict[str, Any]:
    return {path.name: YAML(typ="safe").load(path.read_text()) for path in EXAMPLES.glob("*.yaml")}


def write_table(tree: Path, table: Path) -> None:
    """The files of a tree as a table with `path` and `content`."""
    import pyarrow
    import pyarrow.parquet

    table.mkdir()
    files = [path for path in sorted(tree.rglob("*")) if path.is_file()]
    columns = {"path": [str(path.relative_to(tree)) for path in files], "content": [path.read_bytes() for path in files]}
    pyarrow.parquet.write_table(pyarrow.table(columns), table / "part.parquet")


# -- Databricks --------------------------------------------------------------------------------------------------------------------------------


def test_the_job_is_what_the_jobs_api_reads(tmp_path: Path) -> None:
    """Whatever key or value the API does not know is lost on the way through its client."""
    told = (EXAMPLES / "databricks-job.json").read_text()
    script = "import json, sys\nfrom databricks.sdk.service.jobs import JobSettings\n"
    script += "print(json.dumps(JobSettings.from_dict(json.load(sys.stdin)).as_dict()))\n"
    python = str(environment("databricks", SDK))

    def through(text: str) -> Any:
        return json.loads(subprocess.run([python, "-c", script], input=text, capture_output=True, text=True, check=True).stdout)

    assert through(told) == json.loads(told)
    assert through(told.replace("num_workers", "number_of_workers")) != json.loads(told.replace("num_workers", "number_of_workers"))


def test_a_session_that_is_there_runs_the_job_and_lives_on(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """As on Databricks, where the job is run in a Python that has a session, with the example's very arguments."""
    (task,) = json.loads((EXAMPLES / "databricks-job.json").read_text())["tasks"]
    write(tmp_path, "tree/flink-conf.yaml", RESTLESS)
    write_table(tmp_path / "tree", tmp_path / "repositories")
    spark.read.parquet(str(tmp_path / "repositories")).createOrReplaceTempView("files")
    spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", "777")
    before = dict(spark.conf.getAll)
    places = {"table:platform.code.files": "table:files", "/Volumes/platform/shoal/audit": str(tmp_path / "kept"), "delta": "parquet"}
    parameters = [places.get(word, word) for word in task["spark_python_task"]["parameters"]]
    assert {*places.values()} <= {*parameters}
    monkeypatch.setattr(sys, "argv", [str(EXAMPLES / "audit_job.py"), *parameters])
    runpy.run_path(str(EXAMPLES / "audit_job.py"), run_name="__main__")
    assert "endless-fast-restarts" in capfd.readouterr().out
    assert runs(tmp_path) == [(__version__, 1, 1, 0)]
    assert dict(spark.conf.getAll) == before
    assert spark.table("files").count() == 1


# -- every night -------------------------------------------------------------------------------------------------------------------------------


def test_the_nightly_audit_says_what_is_new(tmp_path: Path) -> None:
    need_java()
    for name in ("orders", "payments"):
        write(tmp_path, f"work/{name}/flink-conf.yaml", CALM)
        git(tmp_path, "init", "-q", "-b", "main", f"work/{name}")
        git(tmp_path / "work" / name, "add", "-A")
        git(tmp_path / "work" / name, "commit", "-qm", "one")
        git(tmp_path, "clone", "-q", "--mirror", f"work/{name}", f"mirrors/{name}.git")
    # the test's own shoal comes first wherever `shoal` is called
    write(tmp_path, "bin/shoal", f'#!/bin/sh\nexec {sys.executable} -m shoal "$@"\n'.encode())
    (tmp_path / "bin" / "shoal").chmod(0o755)
    settings = {**os.environ, "PATH": f"{tmp_path / 'bin'}:{BIN}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT / "src")}

    def night() -> subprocess.CompletedProcess[str]:
        command = [str(EXAMPLES / "nightly.sh"), str(tmp_path / "mirrors"), str(tmp_path / "kept")]
        return subprocess.run(command, cwd=tmp_path, env=settings, capture_output=True, text=True, timeout=300)

    first = night()
    assert first.returncode == 0, first.stderr[-3000:]
    write(tmp_path, "work/orders/flink-conf.yaml", RESTLESS)
    git(tmp_path / "work" / "orders", "commit", "-qam", "two")
    second = night()
    assert second.returncode == 1, second.stderr[-3000:]
    assert "endless-fast-restarts" in second.stdout and "orders.git" in second.stdout and "payments.git" not in second.stdout
    assert first.stderr == second.stderr == ""


# -- all of them -------------------------------------------------------------------------------------------------------------------------------


def test_the_files_for_clusters_fit_together() -> None:
    assert main(["check", "--no-cache", str(EXAMPLES)]) == 0
    dockerfile = (EXAMPLES / "Dockerfile").read_text()
    image = re.search(r"^FROM apache/spark:([\d.]+)-", dockerfile, re.MULTILINE)
    assert image and "COPY audit_job.py /opt/shoal/" in dockerfile
    for told in applications().values():
        spec = told["spec"].get("template", told["spec"])
        assert (spec["mainApplicationFile"], spec["sparkVersion"]) == ("local:///opt/shoal/audit_job.py", image[1])
