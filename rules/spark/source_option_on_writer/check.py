"""Options of Spark's sources on its sinks: those of Kafka's, and those that no sink has on any."""

from __future__ import annotations

from collections.abc import Iterator

from shoal import catalogue
from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding

# Names that no format's writer knows; `path`, `topic` and the like may be anything's.
_READERS = frozenset(
    {"failondataloss", "startingoffsets", "endingoffsets", "subscribe", "subscribepattern", "maxoffsetspertrigger", "minpartitions"}
)
# The same, of tables and folders that are read as streams.
_TABLES = frozenset(
    {
        "maxfilespertrigger",
        "maxbytespertrigger",
        "cleansource",
        "sourcearchivedir",
        "latestfirst",
        "maxfileage",
        "filenameonly",
        "ignoredeletes",
        "ignorechanges",
        "skipchangecommits",
        "readchangefeed",
    }
)


def check(job: Job, context: Context) -> Iterator[Finding]:
    options = catalogue.load("spark-source:kafka")
    for block in job.select("spark", ("writer",)):
        kafka = block.trait("format") == "kafka"
        for setting in job.of(block):
            option = options.option(setting.key)
            if setting.key.lower() in _TABLES:
                message = f"{setting.key} has no effect: only a reader knows it, and this writes"
                yield context.finding(message, setting.key_place(label=setting.key), covers=[setting])
                continue
            known = kafka or setting.key.lower() in _READERS
            if known and option is not None and not option.prefix and option.scope == "source":
                message = f"{setting.key} has no effect: only a reader of Kafka knows it, and this writes"
                yield context.finding(message, setting.key_place(label=setting.key), covers=[setting])
