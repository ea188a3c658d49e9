"""A session in Python that brings Delta Lake itself, reads or writes its tables, and does not have `spark.sql.catalog.spark_catalog`.

The check came with Delta 2.2 (DeltaLog.checkRequiredConfigurations); it asks for the catalog alone, since an extension may be given to the session in other ways.
Tried with Delta 3.2.0 on Spark 3.5.1: without the catalog a read, a write and a stream fail, with the extension as well; with the catalog set on the running session they do not.
"""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context, Target
from shoal.facts import Block
from shoal.job import Job, numbers
from shoal.model import Finding
from shoal.readers.versions import engine_versions

_CATALOG = "spark.sql.catalog.spark_catalog"
_CHECK = "spark.databricks.delta.requiredSparkConfsCheck.enabled"
_SINCE = (2, 2)


def check(job: Job, context: Context) -> Iterator[Finding]:
    spark = [block for block in job.blocks.values() if block.engine == "spark"]
    if any(block.trait("platform") or block.form == "bundle" for block in spark) or job.anywhere("spark", _CHECK):
        return
    others = [block for block in spark if block.role not in ("reader", "writer", "batch-reader", "batch-writer") and block.form != "python"]
    set_in = {job.blocks[setting.block] for setting in job.anywhere("spark", _CATALOG)}
    if any(block.open for block in others) or any(block.form != "python" or block.role == "session" for block in set_in):
        return
    hidden = {usage.place.path for usage in job.usages("names-jars")} | {block.place.path for block in set_in}
    for block in spark:
        path = block.place.path
        used = next((usage for usage in job.usages("delta-table") if usage.place.path == path), None)
        brought = _brought(job, block)
        if (
            block.role == "job"
            and block.form == "python"
            and not block.open
            and path not in hidden
            and used is not None
            and brought is not None
        ):
            message = (
                f"every read and write of a Delta table is refused (DELTA_CONFIGURE_SPARK_SESSION_WITH_EXTENSION_AND_CATALOG): the session has the packages, "
                f"and neither it nor anything else in sight sets {_CATALOG}"
            )
            yield context.finding(message, brought, [(used.place, "refused here")])
            break


def _brought(job: Job, block: Block) -> Target | None:
    """Where a session is given a release of Delta that asks for its catalog."""
    for dependency in job.dependencies:
        release = dict(engine_versions(dependency)).get("delta") if dependency.block == block.id else None
        if release is not None and dependency.ecosystem == "maven":
            return dependency if numbers(release) >= _SINCE else None
    pinned = [one for one in job.dependencies if one.ecosystem == "pypi" and one.name == "delta-spark"]
    if any(numbers(one.version or "") < _SINCE for one in pinned if one.version):
        return None
    return next((usage.place for usage in job.usages("brings-delta") if usage.detail == block.id), None)
