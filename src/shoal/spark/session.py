"""The Spark session of an audit: the one that is there, or one made from what the command line and the environment say."""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import resources
from queue import Empty, SimpleQueue
from typing import IO, TYPE_CHECKING, Any

from shoal.cli import UsageError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# What the audit needs of a session. Rows with contents may be large, so few of them go to Python at once.
_NEEDED = {
    "spark.sql.execution.arrow.maxRecordsPerBatch": "256",
    "spark.sql.sources.partitionColumnTypeInference.enabled": "false",
}
# What a session of this machine is best without, unless somebody asks for it.
_LOCAL = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    # compiling code for each query takes longer than what rows there are
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    # so does planning each query anew after each of its stages
    "spark.sql.adaptive.enabled": "false",
    # over TCP each task of a Python worker waits 40 ms for an acknowledgement (Spark 4.1 and later know sockets of the file system)
    "spark.python.unix.domain.socket.enabled": str(os.name == "posix").lower(),
}


@contextmanager
def session(conf: list[str], jobs: int) -> Iterator[SparkSession]:
    """The running session, or a new one: the master is that of `spark-submit`, `SPARK_REMOTE`, `--spark-conf`, else this machine.

    What is changed in the session is as before at the end: it may be somebody else's. Raises UsageError with what is missing.
    """
    try:
        import pyarrow  # noqa: F401 - every step needs it
        from pyspark.sql import SparkSession
    except ImportError as error:
        raise UsageError(f"--engine spark needs PySpark and PyArrow ({error}): pip install 'shoal[spark]'") from error
    given = dict(_pair(item) for item in conf)
    remote = given.pop("spark.remote", "") or os.environ.get("SPARK_REMOTE", "")
    spark = None if remote else SparkSession.getActiveSession()
    if spark is None:
        with _quiet() as log:
            try:
                spark, given = _started(given, remote, jobs)
            except UsageError:
                raise
            except Exception as error:
                raise UsageError(f"Spark does not start: {_why(error, log)}") from error
    before: dict[str, str | None] = {}
    try:
        _change(spark, {**given, **_NEEDED}, before)
        yield spark
    finally:
        with contextlib.suppress(Exception):  # it is gone
            _change(spark, before, {})


def _started(given: dict[str, str], remote: str, jobs: int) -> tuple[SparkSession, dict[str, str]]:
    """A new session, and what of the given settings is left to be set in it."""
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.appName("shoal audit")
    if remote and not remote.startswith("local"):
        _reach(remote)
        return builder.remote(remote).getOrCreate(), given  # type: ignore[attr-defined, unused-ignore]
    # on Databricks and below spark-submit Java runs already
    submitted = not remote and bool(os.environ.keys() & {"PYSPARK_GATEWAY_PORT", "DATABRICKS_RUNTIME_VERSION"})
    settings = dict(given)
    if not submitted:
        _need_java()
        options = []
        master = given.get("spark.master") or os.environ.get("MASTER", "")
        if remote or not master:  # a session of this process, and the server of Spark Connect in it
            builder = builder.remote(remote) if remote else builder.master(f"local[{jobs or '*'}]")  # type: ignore[attr-defined, unused-ignore]
            settings = {**_LOCAL, "spark.sql.shuffle.partitions": str(2 * (jobs or os.cpu_count() or 1)), **settings}
            options += ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"]  # starts faster, and Python does the work
        if not _debugging():
            options.append(f"-Dlog4j2.configurationFile={resources.files('shoal.spark') / 'log4j2.properties'}")
        settings.setdefault("spark.driver.defaultJavaOptions", " ".join(options))
        if remote or (master or "local").startswith("local"):  # else workers would run whatever `python3` is
            os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    for key, value in settings.items():
        builder = builder.config(key, value)
    return builder.getOrCreate(), {}


def _reach(remote: str) -> None:
    """Raise UsageError unless somebody answers: PySpark itself would go on trying for ten minutes, without a word."""
    import grpc  # type: ignore[import-untyped]
    from pyspark.sql.connect import client

    builder: Any = getattr(client, "DefaultChannelBuilder", None) or client.ChannelBuilder  # since 4.0; before it
    states: SimpleQueue[Any] = SimpleQueue()
    with builder(remote).toChannel() as channel:
        channel.subscribe(states.put, try_to_connect=True)
        with contextlib.suppress(Empty):
            while (state := states.get(timeout=30)) != grpc.ChannelConnectivity.TRANSIENT_FAILURE:
                if state == grpc.ChannelConnectivity.READY:
                    return
    raise UsageError(f"no Spark Connect server answers at {remote.partition(';')[0]}")  # behind it a token may stand


def _change(spark: SparkSession, settings: Mapping[str, str | None], before: dict[str, str | None]) -> None:
    """Make these the settings of a session (None: unset), and note what they were before."""
    for key, value in settings.items():
        now = spark.conf.get(key, None)
        if now == value:
            continue
        before[key] = now
        if value is None:
            spark.conf.unset(key)
            continue
        try:
            spark.conf.set(key, value)
        except Exception as error:
            raise UsageError(f"--spark-conf {key}={value}: this session runs already ({said(error)})") from error


def _debugging() -> bool:
    return bool(os.environ.get("SHOAL_DEBUG"))


@contextmanager
def _quiet() -> Iterator[IO[str] | None]:
    """Java that is started meanwhile says what it says into a file, which is yielded: reports go to standard output. Not for those who debug."""
    if _debugging():
        yield None
        return
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as log:
        kept = []
        for stream, number in ((sys.stdout, 1), (sys.stderr, 2)):
            with contextlib.suppress(OSError):  # it is closed: nobody would hear
                if stream is not None:
                    stream.flush()
                kept.append((os.dup(number), number))
                os.dup2(log.fileno(), number)
        try:
            yield log
        finally:
            for copy, number in kept:
                os.dup2(copy, number)
                os.close(copy)


def _why(error: Exception, log: IO[str] | None) -> str:
    """Why there is no session: what Java said before it went away, else what PySpark says."""
    if log is not None and "JAVA_GATEWAY_EXITED" in str(error):
        log.seek(0)
        lines = [line.strip() for line in log if line.strip() and not line.startswith(("WARNING: ", "\tat "))]
        if lines:
            return ": ".join(lines[:2])
    return said(error)


def _pair(item: str) -> tuple[str, str]:
    key, equals, value = item.partition("=")
    if not equals or not key.strip():
        raise UsageError(f"--spark-conf {item}: should be KEY=VALUE")
    return key.strip(), value


def _need_java() -> None:
    from shutil import which

    home = os.environ.get("JAVA_HOME")
    if not (home and os.path.exists(os.path.join(home, "bin", "java"))) and which("java") is None:
        raise UsageError(
            "--engine spark needs Java (17 or newer for Spark 4) to run Spark here, and finds none on PATH or in JAVA_HOME; "
            "a Spark Connect server elsewhere needs none: SPARK_REMOTE=sc://HOST"
        )


def said(error: BaseException) -> str:
    """What Spark says, in a line: that a source of data is missing, or else the innermost cause, without the trace."""
    lines = [line for text in str(error).splitlines() if (line := text.strip()) and not line.startswith(("at ", "... "))]
    told = [line[line.index("[DATA_SOURCE") :] for line in lines if "[DATA_SOURCE_NOT_FOUND]" in line]
    told = told or [line for line in lines if line.startswith("shoal.") or "Error: " in line or "Exception: " in line]
    told = told or [line for line in lines if line.startswith("[")]
    text = (told or lines or [type(error).__name__])[-1].removeprefix("Caused by: ").removeprefix(": ")
    return text if len(text) <= 400 else text[:397] + "..."
