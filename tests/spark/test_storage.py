"""Storage that a cluster has, with what serves it really running: S3, Google's, HDFS, a registered scheme, Delta and Iceberg."""

from __future__ import annotations

import io
import json
import multiprocessing
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import redirect_stderr, redirect_stdout, suppress
from pathlib import Path
from threading import Thread
from typing import Any, NamedTuple
from urllib.parse import quote
from urllib.request import Request, urlopen

import pytest

from shoal.cli import main
from shoal.spark import driver, tables
from shoal.spark.session import session
from tests.spark.conftest import CONF, ROOT, need_java, report, write
from tests.spark.test_engine import plain
from tests.spark.test_tables import QUESTIONS
from tests.values import engine
from tools.catalogue import fetch

HADOOP = "3.5.0"  # that of the PySpark that is tried
# What S3A asks of the AWS SDK (the version Hadoop is built with): 15 MB instead of the bundle's 600.
_SDK = (
    "annotations apache-client arns auth aws-core aws-query-protocol aws-xml-protocol checksums checksums-spi crt-core endpoints-spi http-auth "
    "http-auth-aws http-auth-aws-eventstream http-auth-spi http-client-spi identity-spi json-utils metrics-spi netty-nio-client profiles "
    "protocol-core regions retries retries-spi s3 s3-transfer-manager sdk-core sts third-party-jackson-core utils utils-lite"
)
STORES = [
    f"org.apache.hadoop:hadoop-aws:{HADOOP}",
    *(f"software.amazon.awssdk:{module}:2.35.4" for module in _SDK.split()),
    "software.amazon.s3.analyticsaccelerator:analyticsaccelerator-s3:1.3.1",
    "software.amazon.eventstream:eventstream:1.0.1",
    "org.reactivestreams:reactive-streams:1.0.4",
    "com.google.cloud.bigdataoss:gcs-connector:4.0.0:shaded",
]
CLUSTER = [
    f"org.apache.hadoop:hadoop-client-minicluster:{HADOOP}",
    "org.junit.jupiter:junit-jupiter-api:5.13.4",
    "org.junit.platform:junit-platform-commons:1.13.4",
    "org.opentest4j:opentest4j:1.3.0",
]
# There is no Delta and no Iceberg for Spark 4.3 yet: they are tried with the newest Spark that both have a release for.
LAKE_SPARK = "4.1.4"
DELTA = "4.4.0"
LAKE = [
    *(f"io.delta:delta-{part}:{DELTA}" for part in ("spark_4.1_2.13", "storage", "kernel-api", "kernel-defaults", "kernel-unitycatalog")),
    "io.unitycatalog:unitycatalog-client:0.6.0",
    "io.unitycatalog:unitycatalog-hadoop:0.6.0",
    "org.apache.iceberg:iceberg-spark-runtime-4.1_2.13:1.12.0",
]
MOTO = "moto[s3,server]==5.2.5"
FAKE_GCS = "github.com/fsouza/fake-gcs-server@v1.56.1"
S3 = """\
import sys
from moto.server import ThreadedMotoServer

server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
server.start()
print(server.get_host_and_port()[1], flush=True)
sys.stdin.read()
"""
ODD = (
    "with space",
    "100%",
    "50%25 off",
    "größe",
    "#1",
    "a+b",
    "a=b",
    "who?",
    "[x]",
    "{y}",
    "s*r",
    "it's",
    "a&b",
    ".hidden",
    "_under",
)
JOB = b"restart-strategy.type: fixed-delay\nrestart-strategy.fixed-delay.attempts: 2147483647\n"


class Said(NamedTuple):
    """What a command came to in the process of a session."""

    code: int
    out: str
    err: str
    report: dict[str, Any]


# -- in the process of a session --------------------------------------------------------------------------------------------------------------


def start(first: str, conf: dict[str, str]) -> None:
    """Make the session as the command makes it. `first` is a folder with another PySpark, or nothing."""
    if first:
        sys.path.insert(0, first)
        os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (first, os.environ.get("PYTHONPATH"))))
    with session([f"{key}={value}" for key, value in conf.items()], 2):
        pass


def audit(folder: str, *arguments: str) -> Said:
    os.chdir(folder)
    out, err = io.StringIO(), io.StringIO()
    with tempfile.TemporaryDirectory() as scratch, redirect_stdout(out), redirect_stderr(err):
        made = Path(scratch, "report.json")
        code = main(["audit", "--engine", "spark", *arguments, "--format", "json", "--output", str(made)])
        return Said(code, out.getvalue(), err.getvalue(), json.loads(made.read_text()) if made.exists() else {})


def ended(folder: str, *arguments: str) -> None:
    """An audit that ends while it writes its tables."""
    write, written = tables.Store.write, []

    def end(store: tables.Store, frame: Any, table: str, run: str) -> None:
        if table == "problems":
            raise KeyboardInterrupt
        written.append(table)
        write(store, frame, table, run)

    tables.Store.write = end  # type: ignore[method-assign,assignment]
    try:
        said = audit(folder, *arguments)
    finally:
        tables.Store.write = write  # type: ignore[method-assign]
    assert "findings" in written and said.code not in (0, 1) and not said.report, said


def active() -> Any:
    from pyspark.sql import SparkSession

    return SparkSession.builder.getOrCreate()


def rows_of(question: str) -> list[Any]:
    return [row.asDict(recursive=True) for row in active().sql(question).collect()]


def files_of(place: str) -> dict[str, tuple[int, int]]:
    """Size and time of the files in a folder, as Hadoop lists them."""
    spark = active()
    path = spark._jvm.org.apache.hadoop.fs.Path(place)
    listed = path.getFileSystem(spark._jsc.hadoopConfiguration()).listFiles(path, True)
    found = {}
    while listed.hasNext():
        one = listed.next()
        found[one.getPath().toString()] = (one.getLen(), one.getModificationTime())
    return found


def put(folder: str, place: str) -> None:
    """Copy a local folder to where Hadoop writes."""
    spark = active()
    path = spark._jvm.org.apache.hadoop.fs.Path
    path(place).getFileSystem(spark._jsc.hadoopConfiguration()).copyFromLocalFile(path(f"file://{folder}"), path(place))


def keep(folder: str, format: str, name: str) -> None:
    """Write the files of a folder as a table with `repo`, `path` and `content`."""
    top = Path(folder)
    files = [("ours", str(path.relative_to(top)), path.read_bytes()) for path in sorted(top.rglob("*")) if path.is_file()]
    writer = active().createDataFrame(files, "repo string, path string, content binary").write.format(format)
    writer.save(name) if "/" in name else writer.saveAsTable(name)


def views(place: str, format: str = "parquet") -> str:
    return tables.views(active(), place, format)


# -- and here ---------------------------------------------------------------------------------------------------------------------------------


def jars(wanted: list[str]) -> list[str]:
    need_java()
    if shutil.which("mvn") is None:
        engine.give_up("`mvn` is not installed")
    try:
        return [str(jar) for jar in fetch.maven(engine.cache(), wanted)]
    except fetch.FetchError as error:
        engine.give_up(str(error))
        raise


class Session:
    """A session in a process of its own, for it has jars that others have not."""

    def __init__(self, first: str, conf: dict[str, str]) -> None:
        self._pool = ProcessPoolExecutor(1, multiprocessing.get_context("spawn"))
        self.ask(start, first, {**CONF, **conf})

    def ask(self, what: Callable[..., Any], *arguments: Any) -> Any:
        return self._pool.submit(what, *map(_plain, arguments)).result(timeout=300)

    def close(self) -> None:
        self._pool.shutdown()


def _plain(value: Any) -> Any:
    return str(value) if isinstance(value, Path) else value


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("storage") / "mono repo"
    shutil.copytree(ROOT / "examples" / "incidents" / "i4-jobmanager-restart", folder / "i4")
    for name in ODD:
        write(folder, f"{name}/{name}/flink-conf.yaml", JOB)
    write(folder, "shared/__init__.py", b"ATTEMPTS = 2147483647\n")
    write(folder, "big/flink-conf.yaml", b"# flink\n" * 300_000)
    write(folder, "vendor/flink-conf.yaml", JOB)
    write(folder, "shoal.toml", b"")
    return folder


@pytest.fixture(scope="module")
def local(tree: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the local engine says of the tree."""
    before = Path.cwd()
    os.chdir(tree)
    try:
        found = report(tmp_path_factory.mktemp("local"), "--no-cache", ".")
    finally:
        os.chdir(before)
    places = {finding["places"][0]["path"] for finding in found["findings"]}
    assert {f"{name}/{name}/flink-conf.yaml" for name in ODD} < places
    assert {left["path"] for left in found["left_out"]} == {"big/flink-conf.yaml", "vendor"}
    return found


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


def http(method: str, url: str, data: bytes = b"", type: str = "application/octet-stream") -> None:
    with urlopen(Request(url, data, {"Content-Type": type}, method=method), timeout=60) as answer:
        answer.read()


@pytest.fixture(scope="module")
def s3() -> Iterator[str]:
    """The address of an S3 server with the bucket `code`."""
    environment = {**os.environ, "PYTHONPATH": str(engine.installed(MOTO))}
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    with subprocess.Popen([sys.executable, "-c", S3], env=environment, text=True, **pipes) as server:  # type: ignore[call-overload]
        try:
            address = f"http://127.0.0.1:{int(server.stdout.readline())}"
            http("PUT", f"{address}/code")
            yield address
        finally:
            server.kill()


@pytest.fixture(scope="module")
def gcs() -> Iterator[str]:
    """The address of a server that speaks as Google Cloud Storage does, with the bucket `code`."""
    folder = engine.cache() / FAKE_GCS.rpartition("/")[2]
    if not (folder / "fake-gcs-server").exists():
        if shutil.which("go") is None:
            engine.give_up("`go` is not installed")
        command = ["go", "install", FAKE_GCS]
        done = subprocess.run(command, env={**os.environ, "GOBIN": str(folder)}, cwd="/", capture_output=True, text=True, timeout=600)
        if done.returncode:
            engine.give_up(f"{FAKE_GCS} cannot be installed: {done.stderr[-300:]}")
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    command = [str(folder / "fake-gcs-server"), "-scheme", "http", "-host", "127.0.0.1", "-port", str(port), "-backend", "memory"]
    command += ["-external-url", address, "-public-host", f"127.0.0.1:{port}"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as server:
        try:
            assert server.stdout
            for line in server.stdout:
                if "server started" in line:
                    break
            Thread(target=server.stdout.read, daemon=True).start()
            http("POST", f"{address}/storage/v1/b?project=p", b'{"name": "code"}', "application/json")
            yield address
        finally:
            server.kill()


@pytest.fixture(scope="module")
def hdfs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a name node with a data node."""
    import pyspark

    scratch = tmp_path_factory.mktemp("hdfs")
    told = scratch / "told.json"
    path = ":".join([*jars(CLUSTER), str(Path(pyspark.__file__).parent / "jars" / "*")])
    options = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", f"-Dtest.build.data={scratch / 'data'}", "-Djava.net.preferIPv4Stack=true"]
    command = ["java", *options, "-cp", path, "org.apache.hadoop.test.MiniDFSClusterManager", "-format", "-writeDetails", str(told)]
    with (scratch / "log").open("wb") as log, subprocess.Popen(command, stdout=log, stderr=log, cwd=scratch) as server:
        try:
            while not (told.exists() and told.read_text().endswith("}")):
                with suppress(subprocess.TimeoutExpired):
                    raise AssertionError(f"it ended with {server.wait(0.2)}: {(scratch / 'log').read_text()[-2000:]}")
            yield f"hdfs://127.0.0.1:{json.loads(told.read_text())['namenode_port']}"
        finally:
            server.kill()


@pytest.fixture(scope="module")
def stores(s3: str, gcs: str, hdfs: str, tree: Path) -> Iterator[Session]:
    """A session of the installed PySpark that reads and writes all of them."""
    conf = {
        "spark.jars": ",".join(jars(STORES)),
        "spark.hadoop.fs.s3a.endpoint": s3,
        "spark.hadoop.fs.s3a.endpoint.region": "us-east-1",
        "spark.hadoop.fs.s3a.path.style.access": "true",
        "spark.hadoop.fs.s3a.access.key": "any",
        "spark.hadoop.fs.s3a.secret.key": "any",
        "spark.hadoop.fs.s3a.attempts.maximum": "1",
        "spark.hadoop.fs.s3a.retry.limit": "1",
        "spark.hadoop.fs.gs.impl": "com.google.cloud.hadoop.fs.gcs.GoogleHadoopFileSystem",
        "spark.hadoop.fs.gs.block.size": "67108864",
        "spark.hadoop.fs.gs.project.id": "p",
        "spark.hadoop.fs.gs.auth.type": "UNAUTHENTICATED",
        "spark.hadoop.fs.gs.storage.root.url": gcs,
        "spark.hadoop.fs.gs.operation.move.enable": "false",  # of what the server cannot do
        "spark.hadoop.fs.defaultFS": hdfs,
        "spark.hadoop.fs.dbfs.impl": "org.apache.hadoop.fs.viewfs.ViewFileSystemOverloadScheme",
        "spark.hadoop.fs.viewfs.overload.scheme.target.dbfs.impl": "org.apache.hadoop.fs.LocalFileSystem",
        "spark.hadoop.fs.viewfs.mounttable.default.link./code": f"file://{tree.parent}",
        "spark.hadoop.ipc.client.connect.max.retries": "1",
    }
    made = Session("", conf)
    yield made
    made.close()


@pytest.fixture(scope="module")
def in_stores(stores: Session, s3: str, gcs: str, hdfs: str, tree: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Scheme to the folder above the tree `mono repo`, which was put there by other means than Spark's where there are any."""
    for path in sorted(tree.rglob("*")):
        if path.is_file():
            name = str(path.relative_to(tree.parent))
            http("PUT", f"{s3}/code/{quote(name)}", path.read_bytes())
            http("POST", f"{gcs}/upload/storage/v1/b/code/o?uploadType=media&name={quote(name, safe='')}", path.read_bytes())
    stores.ask(put, tree, f"{hdfs}/code/mono repo")
    return {"s3a": "s3a://code", "gs": "gs://code", "hdfs": f"{hdfs}/code", "dbfs": "dbfs:/code"}


@pytest.mark.parametrize("scheme", ["s3a", "gs", "hdfs", "dbfs"])
def test_a_folder_and_its_tables(scheme: str, stores: Session, in_stores: dict[str, str], tree: Path, local: dict[str, Any]) -> None:
    above = in_stores[scheme]
    kept = f"{above}/kept/{scheme}"
    arguments = (f"{above}/mono repo", "--tables", kept)
    first = stores.ask(audit, tree, *arguments)
    assert first.report == local, first.err
    written = stores.ask(files_of, kept)
    assert {path[len(kept) + 1 :].split("/")[0] for path in written} == {*tables.TABLES, "contents"}
    assert stores.ask(audit, tree, *arguments).report == local
    assert stores.ask(files_of, kept) == written, "a finished audit writes nothing"
    stores.ask(views, kept)
    assert stores.ask(rows_of, "SELECT count(*) AS n FROM findings") == [{"n": len(local["findings"])}]


@pytest.fixture(scope="module")
def lake(tree: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Session, Path]]:
    """A session that has Delta and Iceberg, and a folder in which the tree is a table of both, by place and by name."""
    folder = tmp_path_factory.mktemp("lake")
    conf = {
        "spark.jars": ",".join(jars(LAKE)),
        "spark.databricks.delta.snapshotPartitions": "1",  # of 50: there are few files
        "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
        "spark.sql.catalog.lake": "org.apache.iceberg.spark.SparkCatalog",
        "spark.sql.catalog.lake.type": "hadoop",
        "spark.sql.catalog.lake.warehouse": str(folder / "iceberg"),
        "spark.sql.warehouse.dir": str(folder / "delta"),
    }
    made = Session(str(engine.installed(f"pyspark=={LAKE_SPARK}")), conf)
    made.ask(keep, tree, "delta", "default.files")
    made.ask(keep, tree, "iceberg", "lake.db.files")
    yield made, folder
    made.close()


def test_tables_of_files(lake: tuple[Session, Path], tree: Path, local: dict[str, Any]) -> None:
    made, folder = lake
    names = (
        "delta:spark_catalog.default.files",
        f"delta:{folder}/delta/files",
        "iceberg:lake.db.files",
        f"iceberg:{folder}/iceberg/db/files",
    )
    reports = [made.ask(audit, tree, "--table", name) for name in names]
    assert plain(reports[0].report, "ours/") == plain(local, ""), reports[0].err
    assert [left["path"] for left in reports[0].report["left_out"]] == ["ours/big/flink-conf.yaml", "ours/vendor"]
    assert all(said.report == reports[0].report for said in reports), [said.err for said in reports]


def test_runs_in_delta(lake: tuple[Session, Path], tree: Path, tmp_path: Path, local: dict[str, Any]) -> None:
    made, _ = lake
    kept = str(tmp_path / "kept")
    arguments = (".", "--tables", kept, "--tables-format", "delta")
    made.ask(ended, tree, *arguments)
    known = made.ask(files_of, f"{kept}/contents")
    assert made.ask(audit, tree, *arguments).report == local
    assert made.ask(files_of, f"{kept}/contents") == known, "what was checked is not checked again"
    written = made.ask(files_of, kept)
    assert all(f"file:{kept}/{table}/_delta_log/00000000000000000000.json" in written for table in tables.TABLES)
    assert made.ask(audit, tree, *arguments).report == local
    assert made.ask(files_of, kept) == written, "a finished audit writes nothing"
    plain_parquet = made.ask(audit, tree, ".", "--tables", kept)
    assert plain_parquet.code == 2 and "holds Delta tables: --tables-format delta" in plain_parquet.err
    run = made.ask(views, kept, "delta")
    assert made.ask(rows_of, "SELECT run, findings FROM runs") == [{"run": run, "findings": len(local["findings"])}]
    assert made.ask(rows_of, "SELECT count(*) AS n, count(DISTINCT path, rule, line) AS d FROM findings")[0]["n"] == len(local["findings"])
    for question in QUESTIONS:
        made.ask(rows_of, question.partition("```")[0])


# What cannot be: the arguments, and what is said of it.
WRONG = [
    (["s3a://nowhere/x"], "The specified bucket does not exist"),
    (["s3a://code/nothing"], "Path does not exist: s3a://code/nothing"),
    (["gs://code/nothing"], "Path does not exist: gs://code/nothing"),
    (["hdfs:///nothing"], "Path does not exist: hdfs://127.0.0.1:"),
    (["hdfs://127.0.0.1:1/x"], "Connection refused"),
    (["dbfs:/code/nothing"], "Path does not exist: dbfs:/code/nothing"),
    (["abfss://code@any.example.com/x"], "Class org.apache.hadoop.fs.azurebfs.SecureAzureBlobFileSystem not found"),
    (["nosuch://x/y"], 'No FileSystem for scheme "nosuch"'),
    (["--table", "parquet:s3a://code/nothing"], "Path does not exist: s3a://code/nothing"),
    (["--table", "table:nowhere"], "The table or view `nowhere` cannot be found"),
    (["--table", "delta:s3a://code/files"], "Failed to find the data source: delta"),
    (["--table", "iceberg:lake.db.files"], "spark_catalog requires a single-part namespace, but got identifier `lake`.`db`.`files`"),
    ([".", "--tables", "s3a://nowhere/kept"], "The specified bucket does not exist"),
    ([".", "--tables", "s3a://code/kept", "--tables-format", "delta"], "Failed to find the data source: delta"),
]


def test_what_cannot_be_is_said_in_a_line(stores: Session, tmp_path: Path) -> None:
    write(tmp_path, "flink-conf.yaml", JOB)
    for arguments, told in WRONG:
        said = stores.ask(audit, tmp_path, *arguments)
        assert said.code == 2 and not said.out and not said.report
        assert told in said.err and said.err.count("\n") == 1, (arguments, said.err)


def test_files_of_a_folder_that_hadoop_names_otherwise() -> None:
    assert [driver.start_of(place) for place in ("s3a://b", "s3a://b/a b/", "hdfs:///x//y", "dbfs:/x", "gs://b/x/team-*/conf")] == [
        "",
        "a b/",
        "x/y/",
        "x/",
        "x/",
    ]
