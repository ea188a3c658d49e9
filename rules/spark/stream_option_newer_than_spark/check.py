"""Options on `readStream` and `writeStream` that the pinned Spark does not read yet."""

from __future__ import annotations

from collections.abc import Iterator

from shoal import catalogue
from shoal.catalogue import UnknownEngine
from shoal.context import Context
from shoal.job import Job, numbers
from shoal.model import Finding


def check(job: Job, context: Context) -> Iterator[Finding]:
    """The sources that come with Spark and its Kafka connector; what a platform has added to them is not known here."""
    for block in job.select("spark", ("reader", "writer")):
        version = job.version("spark", block)
        form = block.trait("format")
        if version is None or len(version.parts) < 2 or not form or (block.role == "writer" and form != "kafka"):
            continue
        try:
            table = catalogue.load(f"spark-source:{form}")
        except UnknownEngine:
            continue
        for setting in job.of(block):
            option = table.option(setting.key)
            if option is None or option.prefix or option.since is None or version.parts[:2] >= numbers(option.since):
                continue
            message = f"Spark {version.minor} ignores {setting.key} without a word: the option came with Spark {option.since}"
            yield context.finding(message, setting.key_place(label=setting.key), [(version.source, "the version")], covers=[setting])
