"""Quotes around lists of topics and groups in properties, where they are letters like any other."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import mirror
from shoal.templates.common import verbatim

_LISTS = ("topics", "groups", "topics.exclude", "groups.exclude", "topics.blacklist", "groups.blacklist")


def check(job: Job, context: Context) -> Iterator[Finding]:
    for maker in job.select("kafka-mirror", ("maker",)):
        for block in (maker, *mirror.flows(job, maker)):
            for key in _LISTS:
                setting = job.written(block, key)
                value = verbatim(setting)
                if setting is None or not any(part.strip()[:1] in ("'", '"') for part in value.split(",")):
                    continue
                bare = ", ".join(part.strip().strip("'\"") for part in value.split(","))
                does = "matches nothing" if "exclude" not in key and "blacklist" not in key else "leaves nothing out"
                message = f"`{value}` {does}: in properties the quotes are a part of the pattern, and no topic or group has one in its name"
                yield context.finding(message, setting, fixes=[context.replace(setting, bare, f"write {bare}", "safe")])
