"""Options of Spark's Kafka source on its sink."""

from __future__ import annotations

from collections.abc import Iterator

from shoal import catalogue
from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding


def check(job: Job, context: Context) -> Iterator[Finding]:
    options = catalogue.load("spark-source:kafka")
    for block in job.select("spark", ("writer",)):
        if block.trait("format") != "kafka":
            continue
        for setting in job.of(block):
            option = options.option(setting.key)
            if option is not None and not option.prefix and option.scope == "source":
                message = f"{setting.key} has no effect: only a reader of Kafka knows it, and this writes"
                yield context.finding(message, setting.key_place(label=setting.key), covers=[setting.place()])
