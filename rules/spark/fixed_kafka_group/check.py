"""`kafka.group.id` on a streaming source.

Who shares a group shares it on the driver alone, which subscribes to learn the partitions: executors assign them to themselves. Since Spark 3.4
(SPARK-40844) the driver asks an AdminClient, which joins no group, unless spark.sql.streaming.kafka.useDeprecatedOffsetFetching is true.
"""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block, Setting
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.templates import kafka, spark

# A name that says so: `unique_group_id`.
_UNIQUE = pattern(r"(?i)uniq|uuid|random")
# A text put together of parts that are not known: f"etl-{topic}", "etl-" + topic, "etl-%s" % topic.
_COMPOSED = pattern(r"(?is)^[rf]{1,2}['\"].*\{|['\"]\s*[+%]|[+%]\s*['\"]|\.format\(|\.join\(")
_KEY = "spark.sql.streaming.kafka.useDeprecatedOffsetFetching"


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select("spark", ("reader", "reader-options")):
        found = spark.option(job, block, "kafka.group.id") if block.trait("format", "kafka") == "kafka" else None
        if found is None or not (found.known or not (kafka.RANDOM.search(found.text) or _UNIQUE.search(found.text))):
            continue
        sure = _joins(job, block)
        if sure:
            message = (
                "two queries with this group, or a restart before the old one has left, share the topic's partitions and each reads a part only: "
                "Spark gives every query a group of its own unless kafka.group.id is set"
            )
            yield context.finding(message, found, confidence="low" if _each_its_own(found) else sure)


def _joins(job: Job, block: Block) -> str:
    """How sure it is that the driver joins the group: not at all when Spark is new enough to ask an AdminClient."""
    asked = [setting for setting in job.anywhere("spark", _KEY) if setting.known]
    if asked:
        return "medium" if any(setting.text.strip().lower() == "true" for setting in asked) else ""
    version = job.version("spark", block) or job.version("spark-kafka")
    if version is None or len(version.parts) < 2:
        return "low"
    return "medium" if version.parts[:2] < (3, 4) else ""


def _each_its_own(found: Setting) -> bool:
    """Whether the group is made of what may differ for each query, such as the topic's name."""
    return found.sure == "branch" or (not found.known and _COMPOSED.search(found.text) is not None)
