"""Numbers, booleans, times and words on `readStream` and `writeStream`, by the types of the source's own options."""

from __future__ import annotations

from collections.abc import Iterator

from shoal import catalogue
from shoal.catalogue import Catalogue, UnknownEngine
from shoal.context import Context
from shoal.facts import Block
from shoal.job import Job
from shoal.model import Finding
from shoal.values import Bad
from shoal.values.spark import parse

_TYPES = frozenset({"boolean", "int", "long", "float", "time"})
_WORDS = {"cleanSource": ("archive", "delete", "off"), "startingOffsetsByTimestampStrategy": ("error", "latest")}
_OFFSETS = ("startingOffsets", "endingOffsets")
_POSITIVE = frozenset({"maxFilesPerTrigger", "rowsPerSecond", "rowsPerBatch", "minPartitions", "maxRecordsPerPartition", "numPartitions"})


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select("spark", ("reader", "writer")):
        table = _table(block)
        for setting in job.of(block) if table else ():
            option = table.option(setting.key) if table and setting.known else None
            if option is None or option.prefix:
                continue
            value = setting.text.strip()
            words = _WORDS.get(option.key)
            if option.key in _OFFSETS and block.trait("format") == "kafka" and block.role == "reader":
                why = (
                    ""
                    if value.lower() in ("earliest", "latest") or value.startswith("{")
                    else "it is earliest, latest or the offsets as JSON"
                )
            elif words:
                why = "" if value.lower() in words else f"it is one of {', '.join(words)}"
            elif option.type in _TYPES:
                read = parse(option.type, value)
                why = read.why if isinstance(read, Bad) else ""
                if not why and option.key in _POSITIVE and isinstance(read, int) and read <= 0:
                    why = "it must be positive"
            else:
                continue
            if why:
                yield context.finding(f"the query fails to start: {option.key} cannot be `{value}`, {why}", setting)


def _table(block: Block) -> Catalogue | None:
    """The options of the block's source; None for a sink other than Kafka, whose options share names with sources."""
    form = block.trait("format")
    if not form or (block.role == "writer" and form != "kafka"):
        return None
    try:
        return catalogue.load(f"spark-source:{form}")
    except UnknownEngine:
        return None
