"""`subscribe`, `subscribePattern` and `assign` of Spark's Kafka source."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import spark


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Of two that are set on some paths only, each may be on its own. A reader that nobody loads from here may be given one elsewhere."""
    for block in job.select("spark", ("reader",)):
        if block.trait("format") != "kafka":
            continue
        found = [setting for key in ("subscribe", "subscribePattern", "assign") if (setting := spark.option(job, block, key))]
        if len(found) > 1 and not all(setting.sure == "branch" for setting in found):
            message = f"the query fails to start: {' and '.join(setting.key for setting in found)} exclude each other"
            yield context.finding(message, found[1], [(found[0], "the other one")])
        elif not found and not block.open and block.trait("loads") and spark.option(job, block, "kafka.bootstrap.servers"):
            yield context.finding("the query fails to start: the source needs one of subscribe, subscribePattern and assign", block)
