"""`interceptor.classes": …` in YAML and `"acks"=all` in a properties file: the quote is a part of the name."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding

_QUOTES = "\"'"
_NAME = pattern(r"[\w-]+(?:\.[\w-]+)+")


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in (*job.select("kafka"), *job.select("kafka-connect")):
        for setting in job.of(block):
            name = setting.key.strip(_QUOTES)
            if name != setting.key and _NAME.fullmatch(name):
                message = f"`{name}` is not set: the name that is written has a quote in it, and Kafka knows no such option"
                fixes = [context.rename(setting, name, f"write {name}", "unsafe")] if job.written(block, name) is None else []
                yield context.finding(message, setting.key_place(label=setting.key), fixes=fixes, covers=[setting])
