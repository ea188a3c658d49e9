"""Option names that are almost, but not quite, those of a streaming reader or writer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from shoal import catalogue
from shoal.context import Context
from shoal.facts import Block
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import spark

_WRITER = ("checkpointLocation", "path", "topic", "outputMode", "queryName", "mergeSchema", "truncate", "numRows", "format")
# Options of Auto Loader that no format of files has by itself: without the prefix nobody reads them.
_AUTO_LOADER = {
    name.lower(): name
    for name in [
        "schemaEvolutionMode",
        "schemaHints",
        "includeExistingFiles",
        "inferColumnTypes",
        "maxFilesPerTrigger",
        "maxBytesPerTrigger",
        "useNotifications",
        "useIncrementalListing",
        "backfillInterval",
        "allowOverwrites",
    ]
}
# Names that MongoDB's connector had for this before version 10, whose format is called `mongodb`.
_OLD_MONGO = frozenset({"uri", "spark.mongodb.input.uri", "spark.mongodb.output.uri"})
_RATES = frozenset({"rate", "rate-micro-batch"})


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Names count without case, as Spark compares them; what resembles nothing may belong to a third-party source."""
    for block in job.select("spark", ("reader", "writer")):
        names = _names(block)
        folded = {name.lower(): name for name in names}
        for setting in job.of(block):
            key = setting.key.lower()
            sure = ""
            if block.trait("format") == "cloudfiles" and key in _AUTO_LOADER:
                right, sure = f"cloudFiles.{_AUTO_LOADER[key]}", "medium"
                message = f"{setting.key} has no effect: Auto Loader reads its own options with their prefix, {right}"
            elif block.trait("format") == "mongodb" and key in _OLD_MONGO:
                right, sure = "connection.uri", "low" if setting.known and "//localhost:27017" in setting.text else "medium"
                message = f"{setting.key} has no effect: the connector of MongoDB reads {right}, and goes to mongodb://localhost:27017 where it is told none"
            elif key.startswith("kafka.") and block.trait("format") == "kafka" and key[6:] in folded:
                right = folded[key[6:]]
                message = f"Spark hands {setting.key} on to the Kafka client, which knows no such option: {right} is Spark's own, without `kafka.`"
            elif "." in key or len(key) < 6 or key in folded or not (near := _nearest(key, folded)):
                continue
            else:
                right = folded[near]
                message = f"Spark ignores {setting.key}, it has no such option; did you mean {right}?"
            yield context.finding(
                message,
                setting.key_place(),
                confidence=sure,
                fixes=[context.rename(setting, right, f"write {right}", "unsafe")],
                covers=[setting],
            )


def _nearest(key: str, names: Iterable[str]) -> str:
    from difflib import get_close_matches  # only now: 2 ms that most runs need not pay

    return next(iter(get_close_matches(key, names, 1, 0.86)), "")


def _names(block: Block) -> set[str]:
    """The options that matter to a streaming query of this format."""
    form = block.trait("format")
    names = set(_WRITER) if block.role == "writer" else {"path", "schema", "format"}
    if form == "kafka" or not form:
        names |= set(catalogue.load("spark-source:kafka").keys(None))
    if form in _RATES:
        names |= set(catalogue.load(f"spark-source:{form}").keys(None))
    if form in spark.FILES or not form:
        names |= set(catalogue.load("spark-source:file").keys(None))
        if form in spark.FILES:
            names |= set(catalogue.load(f"spark-source:{form}").keys(None))
    return names
