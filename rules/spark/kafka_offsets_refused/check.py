"""Where reads of Kafka begin and end, and how much a trigger takes. Tried on Spark 4.2."""

from __future__ import annotations

import json
from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block, Setting
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import spark
from shoal.values import Bad
from shoal.values.spark import parse

_ENDS = ("endingOffsets", "endingOffsetsByTimestamp")
# In a batch read: the option, the word it refuses with its number in JSON, and the options that come before it.
_BATCH = (
    ("startingOffsets", "latest", -1, ("startingTimestamp", "startingOffsetsByTimestamp")),
    ("endingOffsets", "earliest", -2, ("endingTimestamp", "endingOffsetsByTimestamp")),
)


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select("spark", ("reader", "batch-reader")):
        if block.trait("format") == "kafka":
            yield from (_stream if block.role == "reader" else _batch)(job, block, context)


def _option(job: Job, block: Block, key: str) -> Setting | None:
    """What is set on one path only may be for the other kind of read."""
    setting = spark.option(job, block, key)
    return setting if setting and setting.sure != "branch" else None


def _stream(job: Job, block: Block, context: Context) -> Iterator[Finding]:
    for key in _ENDS:
        if setting := _option(job, block, key):
            yield context.finding(
                f"the query fails to start: a stream has no end, so that {key} is refused; trigger(availableNow=True) ends it", setting
            )
    least, most = (_option(job, block, key) for key in ("minOffsetsPerTrigger", "maxOffsetsPerTrigger"))
    if least and most and least.known and most.known:
        low, high = parse("long", least.text), parse("long", most.text)
        if not isinstance(low, Bad) and not isinstance(high, Bad) and isinstance(low, int) and isinstance(high, int) and low > high:
            message = f"the query fails to start: minOffsetsPerTrigger ({low}) is more than maxOffsetsPerTrigger ({high})"
            yield context.finding(message, least, [(most, "the most of a trigger")])


def _batch(job: Job, block: Block, context: Context) -> Iterator[Finding]:
    for key, word, number, before in _BATCH:
        setting = _option(job, block, key)
        if setting and setting.known and not block.open and not any(spark.option(job, block, other) for other in before):
            value = setting.text.strip()
            if value.lower() == word or number in _offsets(value):
                yield context.finding(f"the read fails: {key} of a batch read cannot be {word}", setting)


def _offsets(text: str) -> list[object]:
    """The offsets of `{"topic": {"0": 23}}`."""
    try:
        topics = json.loads(text)
    except ValueError:
        return []
    topics = topics.values() if isinstance(topics, dict) else ()
    return [offset for partitions in topics if isinstance(partitions, dict) for offset in partitions.values()]
