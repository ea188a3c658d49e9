"""A length of time beside a comment that says another one."""

from __future__ import annotations

import re
from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block, Setting
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.templates.common import measure
from shoal.templates.options import reader_of
from shoal.values import Duration, loose

_TIME = pattern(
    r"(?<![\w.,])([0-9]+(?:[.][0-9]+)?)\s*-?\s*"
    r"(ms|msecs?|millis|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|weeks?)(?![\w/])",
    re.IGNORECASE,
)
_NUMBER = pattern(r"[0-9]+(?:[.,_][0-9]+)*")
# With these a comment may speak of another value than the one beside it, or of a bound.
_OTHER = pattern(
    r"\b(defaults?|was|were|used to|instead|previous(?:ly)?|before|after|old|orig\w*|than|not|max\w*|minimum|least|most|up to|under|over"
    r"|above|below|between|from|per|recommend\w*|should|todo|fixme|example|e\.g|times?|vs|increase\w*|decrease\w*|raise\w*|lower\w*"
    r"|within|or|plus|minus|half|third|quarter|longer|shorter|later|ago)\b|[<>≤≥±+*/-]\s*[0-9]",
    re.IGNORECASE,
)
_SIZES = ("memory", "bytes")
_TIMES = ("duration", "time")
_MEGABYTES = pattern(r"[0-9.]+\s*m", re.IGNORECASE)  # or minutes
_UNITS = ((("ms", "millis"), "ms"), (("seconds", "secs", "sec"), "seconds"))
_NEAR = 0.1  # 290 s are about 5 minutes


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select():
        for setting in job.of(block):
            said = _said(setting) if setting.comment and setting.known else None
            value = _value(job, block, setting) if said else None
            if said and value and value.nanos > 0 and abs(value.nanos - said.nanos) > _NEAR * max(value.nanos, said.nanos):
                yield context.finding(f"{setting.key} is {value}, and the comment beside it says {said}: one of the two is wrong", setting)


def _said(setting: Setting) -> Duration | None:
    """The one length of time in the comment of a setting; None when it may speak of something else."""
    comment = setting.comment
    found = _TIME.findall(comment)
    if len(found) != 1 or _OTHER.search(comment):
        return None
    amount, unit = found[0]
    if {re.sub("[,_]", "", number) for number in _NUMBER.findall(comment)} - {amount, setting.text.strip()}:
        return None
    read = loose.read_time(f"{amount} {unit}")
    return Duration(read.total) if read and read.total else None


def _value(job: Job, block: Block, setting: Setting) -> Duration | None:
    """How long a value is to the engine; None when it is no length of time, or nothing tells its unit."""
    text = setting.text.strip()
    reader = reader_of(job, block)
    option = reader.option(setting.key, reader.at) if reader else None
    kind = option.type if option is not None and not option.prefix else ""
    if not text.isdigit():
        if kind in _SIZES or (kind not in _TIMES and _MEGABYTES.fullmatch(text)):
            return None
        read = loose.read_time(text)
        return Duration(read.total) if read else None
    last = re.split(r"[._-]", setting.key.lower())[-1]
    unit = next((unit for words, unit in _UNITS if last in words), "duration" if kind == "duration" else "")
    found = measure(block.engine, unit, text) if unit else None
    return found if isinstance(found, Duration) else None
