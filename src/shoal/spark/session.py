"""The Spark session of an audit: the one that is there, or one made from what the command line and the environment say."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from shoal.cli import UsageError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# What the audit needs of a session. Rows with contents may be large, so few of them go to Python at once.
_NEEDED = {
    "spark.sql.execution.arrow.maxRecordsPerBatch": "256",
    "spark.sql.adaptive.enabled": "true",
    "spark.sql.sources.partitionColumnTypeInference.enabled": "false",
}


def session(conf: list[str], jobs: int) -> SparkSession:
    """The running session, or a new one: the master is that of `spark-submit`, `SPARK_REMOTE`, `--spark-conf`, else this machine.

    Raises UsageError with what is missing.
    """
    try:
        import pyarrow  # noqa: F401 - every step needs it
        from pyspark.sql import SparkSession
    except ImportError as error:
        raise UsageError(f"--engine spark needs PySpark and PyArrow ({error}): pip install 'shoal[spark]'") from error
    given = dict(_pair(item) for item in conf)
    builder = SparkSession.builder.appName("shoal audit")
    remote = given.pop("spark.remote", "") or os.environ.get("SPARK_REMOTE", "")
    if remote:
        if remote.startswith("local"):  # a server in a process of ours
            _need_java()
            os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        builder = builder.remote(remote)  # type: ignore[attr-defined, unused-ignore]
    else:
        submitted = "PYSPARK_GATEWAY_PORT" in os.environ
        master = given.get("spark.master") or os.environ.get("MASTER", "")
        if not submitted:
            _need_java()
            if not master:
                builder = builder.master(f"local[{jobs or '*'}]")
                given.setdefault("spark.ui.enabled", "false")
                given.setdefault("spark.ui.showConsoleProgress", "false")
                given.setdefault(
                    "spark.driver.extraJavaOptions", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
                )  # starts faster, and Python does the work
            if (master or "local").startswith("local"):  # else workers would run whatever `python3` is
                os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    for key, value in given.items():
        builder = builder.config(key, value)
    try:
        spark: SparkSession = builder.getOrCreate()
    except Exception as error:
        raise UsageError(f"Spark does not start: {said(error)}") from error
    for key, value in _NEEDED.items():
        spark.conf.set(key, value)
    if not remote and not os.environ.get("SHOAL_DEBUG"):
        spark.sparkContext.setLogLevel("OFF")
    return spark


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
    """What Spark says, in a line: the innermost cause, without the trace."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    told = [line for line in lines if line.startswith("shoal.") or "Error: " in line or "Exception: " in line]
    text = (told or lines or [type(error).__name__])[-1]
    return text if len(text) <= 400 else text[:397] + "..."
