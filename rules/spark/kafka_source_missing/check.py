"""`format("kafka")` without `spark-sql-kafka-0-10`, which nothing in sight brings.

In code whose session names the packages or jars it needs, or names none and runs on the PySpark of PyPI, which has no such source.
"""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context, Target
from shoal.facts import Block
from shoal.job import Job
from shoal.jobs import programs
from shoal.model import Finding
from shoal.readers.versions import engine_versions, image_engine

_BRINGS = ("spark.jars.packages", "spark.jars")
# Where jars come from that cannot be seen.
_ELSEWHERE = (
    "spark.driver.extraClassPath",
    "spark.executor.extraClassPath",
    "--driver-class-path",
    "spark.yarn.jars",
    "spark.yarn.archive",
)

_SUBMITTED = ("submit", "application", "defaults")
_INSTALLED = ("pyspark", "delta-spark")


def check(job: Job, context: Context) -> Iterator[Finding]:
    """A folder of jars that is mounted or copied, and services that have the source themselves, may bring it."""
    spark = [block for block in job.blocks.values() if block.engine == "spark"]
    hosted = any(block.trait("platform") or block.form == "bundle" for block in spark)
    if hosted or any("jar" in f"{mount.path} {mount.name}".lower() for mount in job.mounts if mount.path):
        return
    if any("kafka" in dependency.name and "spark" in dependency.name for dependency in job.dependencies):
        return
    if any(name.startswith("spark-") and "kafka" in name for dependency in job.dependencies for name, _ in engine_versions(dependency)):
        return
    settings = [setting for block in spark for setting in job.of(block)]
    brought = [setting for setting in settings if setting.key in (*_BRINGS, "--packages", "--jars")]
    if any(not setting.known or "kafka" in setting.text.lower() or "*" in setting.text for setting in brought):
        return
    if any(setting.key in _ELSEWHERE for setting in settings):
        return
    readers = [block for block in spark if block.role == "reader" and block.trait("format") == "kafka"]
    if not brought and readers:
        yield from _none_brought(job, context, spark, readers[0])
    for setting in brought:
        block = job.blocks[setting.block]
        reader = min(readers, key=lambda one: one.place.path != setting.path, default=None)  # beside it, or where its session is used
        if block.role != "job" or block.open or reader is None or setting.sure != "sure":
            continue
        message = (
            "the Kafka source is not found: neither this nor anything else that is in sight brings org.apache.spark:spark-sql-kafka-0-10"
        )
        yield context.finding(message, setting, [(reader, "read here")])
        return


def _none_brought(job: Job, context: Context, spark: list[Block], reader: Block) -> Iterator[Finding]:
    """A session that names nothing, of a program that is handed to Python as it is; what a `spark-submit` that is not in sight brings is not known."""
    sessions = [block for block in spark if block.role == "job" and block.form == "python"]
    if not sessions or any(block.open for block in sessions) or any(block.role in _SUBMITTED for block in spark):
        return
    installed = next((one for one in job.dependencies if one.ecosystem == "pypi" and one.name in _INSTALLED), None)
    if installed is None or any(one.ecosystem == "image" and image_engine(one.name) == "spark" for one in job.dependencies):
        return
    paths = {block.place.path for block in (*sessions, reader)}
    container = next((container for container, _, inside in programs.started(job) if not paths.isdisjoint(inside)), None)
    if container is None:
        return  # who submits it by hand may name them
    message = (
        "the Kafka source is not found: the PySpark of PyPI has none, the session names no packages, and nothing else that is in sight brings "
        "org.apache.spark:spark-sql-kafka-0-10"
    )
    related: list[tuple[Target, str]] = [
        (installed, "installed here"),
        *((block, "the session") for block in sessions[:1]),
        (container.fact.place, "started here"),
    ]
    yield context.finding(message, reader, related, confidence="low" if job.usages("names-jars") else "medium")
