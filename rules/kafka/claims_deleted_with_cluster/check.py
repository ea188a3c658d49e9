"""`deleteClaim: true` of persistent storage, of brokers, pools of nodes and ZooKeeper."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates.common import text


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in (*job.select("kafka", ("broker",), ("manifest",)), *job.select("kubernetes", ("kafkanodepool",))):
        for setting in job.of(block):
            if ".storage." in setting.key and setting.key.endswith(".deleteClaim") and text(setting) == "true":
                message = "whoever deletes the resource, or renames it, deletes the volumes as well, and all topics with them"
                yield context.finding(message, setting)
