"""`format("kafka")` in code whose session names the packages or jars it needs, without `spark-sql-kafka-0-10`, which nothing else brings either."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.readers.versions import engine_versions

_BRINGS = ("spark.jars.packages", "spark.jars")
# Where jars come from that cannot be seen.
_ELSEWHERE = (
    "spark.driver.extraClassPath",
    "spark.executor.extraClassPath",
    "--driver-class-path",
    "spark.yarn.jars",
    "spark.yarn.archive",
)


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
    for setting in brought:
        block = job.blocks[setting.block]
        reader = next((one for one in readers if one.place.path == setting.path), None)
        if block.role != "job" or block.open or reader is None or setting.sure != "sure":
            continue
        message = (
            "the Kafka source is not found: neither this nor anything else that is in sight brings org.apache.spark:spark-sql-kafka-0-10"
        )
        yield context.finding(message, setting, [(reader, "read here")])
        return
