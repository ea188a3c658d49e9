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
    for block in job.select("spark", ("reader", "writer")):
        for setting in job.of(block):
            key = _of_the_session(setting.key)
            if not key:
                continue
            lost = key == _STREAMING + _CHECKPOINT and block.role == "writer" and spark.option(job, block, _CHECKPOINT) is None
            yield context.finding(
                _message(setting, block, key, lost),
                setting.key_place(),
                fixes=[context.rename(setting, _CHECKPOINT, f"write {_CHECKPOINT}", "unsafe")] if lost else [],
                covers=[setting],
            )


def _of_the_session(name: str) -> str:
    """The setting of the session that an option is named like; empty for any other name."""
    if _OWN.match(name) and catalogue.load("spark").option(name) is not None:
        return name
    return _BARE.get(name.lower(), "")


def _message(setting: Setting, block: Block, key: str, lost: bool) -> str:
    whole = f", and is called {key} there" if key != setting.key else ""
    if lost:
        return f"this query has no checkpoint of its own: {setting.key} is a setting of the session, and no option; the option is called {_CHECKPOINT}"
    means = "sets nothing" if block.role == "writer" or not key.endswith("schemaInference") else "infers no schema"
    return f"this {means}: {setting.key} is no option of a {block.role}, it is a setting of {_whose(key)}{whole}{_where(key)}"


def _whose(key: str) -> str:
    if key.startswith("spark.sql."):
        return "the session"
    return "DStreams" if key.startswith("spark.streaming.") else "the whole application"


def _where(key: str) -> str:
    """What a running session takes no more is named where it is built."""
    if key.startswith("spark.sql."):
        return " (spark.conf.set, or config() of its builder)"
    return (
        ", which structured streaming has none of"
        if key.startswith("spark.streaming.")
        else " (config() of the session's builder, or --conf)"
    )
