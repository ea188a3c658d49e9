"""Names on a Kafka reader that are none of its own: options of file sources, of the DStream API, of other clients."""

from __future__ import annotations

from collections.abc import Iterator

from shoal import catalogue
from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding

# What other rules speak of, and what a reader of any format takes.
_ELSEWHERE = frozenset({"checkpointlocation", "path", "schema", "format"})
# What the source of Databricks takes as well, in its real-time mode.
_REAL_TIME = frozenset({"maxpartitions"})


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Other names with a dot belong to a client or to a platform, and are not judged here."""
    table = catalogue.load("spark-source:kafka")
    names = {name.lower() for name in table.keys(None)}
    real_time = any(job.written(writer, "trigger.realTime") is not None for writer in job.select("spark", ("writer",)))
    for block in job.select("spark", ("reader",)):
        if block.trait("format") != "kafka":
            continue
        for setting in job.of(block):
            key = setting.key.lower()
            option = table.option(key)
            if option is not None and option.scope == "sink":
                instead = (
                    "it belongs with a writer, a reader has none"
                    if option.prefix
                    else "only a writer to Kafka has it, a reader takes subscribe, subscribePattern or assign"
                )
                message = f"{setting.key} does nothing here: {instead}"
                yield context.finding(message, setting.key_place(), covers=[setting])
                continue
            if key.startswith("spark."):
                message = f"{setting.key} does nothing here: it is named like an option of the session, and no source reads those"
                yield context.finding(message, setting.key_place(), covers=[setting])
                continue
            from difflib import get_close_matches  # only now: 2 ms that most runs need not pay

            if "." in key or not key.isidentifier() or key in names or key in _ELSEWHERE or get_close_matches(key, names, 1, 0.86):
                continue
            if key in _REAL_TIME and real_time:
                continue
            message = (
                f"{setting.key} does nothing: the Kafka source has no such option, and Spark says nothing about options it does not know"
            )
            yield context.finding(message, setting.key_place(), covers=[setting])
