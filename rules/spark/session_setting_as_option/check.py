"""`.option("spark.sql.streaming.checkpointLocation", …)`, `.option("forceDeleteTempCheckpointLocation", …)`.

Tried on Spark 3.5.9: the query keeps its checkpoint in a temporary folder, a stream of files without a schema is refused all the same, and
aggregations have as many partitions as before. No reader or writer of Spark's, nor MongoDB's connector, asks its options for one of these.
"""

from __future__ import annotations

from collections.abc import Iterator

from shoal import catalogue
from shoal.context import Context
from shoal.facts import Block, Setting
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.templates import spark

_STREAMING = "spark.sql.streaming."
_CHECKPOINT = "checkpointLocation"
# What of the session's own is met on streams. What begins otherwise may be some connector's, or get to a format of files by way of Hadoop.
_OWN = pattern(r"spark\.(?:sql\.(?:streaming|shuffle|adaptive|session)|streaming|executor|driver|dynamicAllocation|default|cores)\.")
# The same without what stands before them, as some write it.
_BARE = {
    name.lower(): _STREAMING + name
    for name in [
        "forceDeleteTempCheckpointLocation",
        "schemaInference",
        "minBatchesToRetain",
        "multipleWatermarkPolicy",
        "stateStore.providerClass",
    ]
}


def check(job: Job, context: Context) -> Iterator[Finding]:
    """An option of any name is taken; those of other makers' sources keep to names of their own."""
    known = {name.lower(): name for name in catalogue.load("spark").keys(None) if _OWN.match(name)}
    for block in job.select("spark", ("reader", "writer")):
        for setting in job.of(block):
            key = known.get(setting.key.lower()) or _BARE.get(setting.key.lower())
            if key is None:
                continue
            lost = key == _STREAMING + _CHECKPOINT and block.role == "writer" and spark.option(job, block, _CHECKPOINT) is None
            yield context.finding(
                _message(setting, block, key, lost),
                setting.key_place(),
                fixes=[context.rename(setting, _CHECKPOINT, f"write {_CHECKPOINT}", "unsafe")] if lost else [],
                covers=[setting],
            )


def _message(setting: Setting, block: Block, key: str, lost: bool) -> str:
    whole = f", and is called {key} there" if key.lower() != setting.key.lower() else ""
    if lost:
        return f"this query has no checkpoint of its own: {setting.key} is a setting of the session, and no option; the option is called {_CHECKPOINT}"
    means = "sets nothing" if block.role == "writer" or not key.endswith("schemaInference") else "infers no schema"
    return f"this {means}: {setting.key} is no option of a {block.role}, it is a setting of the session{whole} (spark.conf.set, or config() of its builder)"
