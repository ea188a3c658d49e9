"""A length of time, or a size, beside or below a comment that says another one."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import ABOVE, Block, Setting
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.templates.common import measure
from shoal.templates.options import reader_of
from shoal.values import Duration, MemorySize, loose

_TIME = pattern(
    r"(?<![\w.,])([0-9]+(?:[.][0-9]+)?|one|two|three|five|ten|fifteen|thirty|sixty|an?(?=\s+(?:minute|hour|day|week)\b)"
    r"|every(?=\s+(?:second|minute|hour|day)\b))\s*-?\s*"
    r"(ms|msecs?|millis|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|weeks?)(?![\w/])",
    re.IGNORECASE,
)
_WORDS = {"two": "2", "three": "3", "five": "5", "ten": "10", "fifteen": "15", "thirty": "30", "sixty": "60"}
_SIZE = pattern(r"(?<![\w.,])([0-9]+(?:[.][0-9]+)?)\s*-?\s*([kmg]i?b|bytes?)(?![\w/])", re.IGNORECASE)
_NUMBER = pattern(r"[0-9]+(?:[.,_][0-9]+)*")
# With these a comment may speak of another value than the one beside it, or of a bound.
_OTHER = pattern(
    r"\b(defaults?|was|were|used to|instead|previous(?:ly)?|before|after|old|orig\w*|than|not|max\w*|minimum|least|most|up to|under|over"
    r"|above|below|between|from|per|recommend\w*|should|todo|fixme|example|e\.g|times?|vs|increase\w*|decrease\w*|raise\w*|lower\w*"
    r"|within|or|plus|minus|half|third|quarter|longer|shorter|later|ago)\b|[<>≤≥±+*/-]\s*[0-9]",
    re.IGNORECASE,
)
# The bound of which a comment speaks beside a timeout is the timeout.
_BOUND = pattern(r"\b(?:within|at most|up to|max(?:imum)?|no (?:more|longer) than)\b", re.IGNORECASE)
# What Flink's documentation says of a timeout and of a pause, which programs take over with its comments, speaks of no other value.
_OF_DOCUMENTATION = pattern(r",?\s+or are discarded|\bbetween checkpoints\b", re.IGNORECASE)
# Of what there is in all, or of another thing: `for 8GB total memory`, `of a 16 GB node`.
_OF_ANOTHER = pattern(r"\b(?:for|of|with|in|on|from|has|have)\s+(?:(?:an?|the|our|each|every)\s+)?$", re.IGNORECASE)
_SIZES = ("memory", "bytes")
_TIMES = ("duration", "time")
_MEGABYTES = pattern(r"[0-9.]+\s*m", re.IGNORECASE)  # or minutes
_UNITS = ((("ms", "millis"), "ms"), (("seconds", "secs", "sec"), "seconds"))
_NEAR = 0.1  # 290 s are about 5 minutes, 100,000,000 bytes about 100 MB
_IN_BYTES = pattern(r"(?:.*[._])?(?:bytes|batch\.size|buffer\.memory|request\.size)")


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select():
        commented = [setting for setting in job.of(block) if setting.comment and setting.known]
        times = Counter(setting.comment for setting in commented)
        for setting in commented:
            above = setting.comment.startswith(ABOVE)
            if above and times[setting.comment] > 1:
                continue  # it speaks of one of them
            found = _compared(job, block, setting)
            if found is not None and abs(found[0] - found[1]) > _NEAR * max(found[:2]):
                where = "above" if above else "beside"
                message = f"{setting.key} is {found[2]}, and the comment {where} it says {found[3]}: one of the two is wrong"
                yield context.finding(message, setting, confidence="low" if above else "")


def _compared(job: Job, block: Block, setting: Setting) -> tuple[int, int, object, object] | None:
    """What a value and its comment are, as numbers and in words."""
    comment = setting.comment.strip()
    time = _said(setting, comment, _TIME)
    if time is not None:
        said, value = loose.read_time(time), _value(job, block, setting)
        return (value.nanos, said.total, value, Duration(said.total)) if said and value and said.total and value.nanos > 0 else None
    size = _said(setting, comment, _SIZE)
    if size is not None and not any(_OF_ANOTHER.search(comment[: found.start()]) for found in _SIZE.finditer(comment)):
        read, amount = loose.read_size(size), _bytes(job, block, setting)
        return (amount.bytes, read.total, amount, MemorySize(read.total)) if read and amount and amount.bytes > 0 else None
    return None


def _said(setting: Setting, comment: str, of: re.Pattern[str]) -> str | None:
    """The one length of time, or size, in the comment of a setting; None when it may speak of something else."""
    comment = _OF_DOCUMENTATION.sub("", comment)
    found = of.findall(comment)
    if len(found) != 1 or _OTHER.search(_BOUND.sub("", comment) if "timeout" in setting.key else comment):
        return None
    amount, unit = found[0]
    if {re.sub("[,_]", "", number) for number in _NUMBER.findall(comment)} - {amount, setting.text.strip()}:
        return None
    return f"{amount if amount[0].isdigit() else _WORDS.get(amount.lower(), '1')} {unit}"


def _type(job: Job, block: Block, setting: Setting) -> str:
    """The type of the option that a setting is; empty where it is not known."""
    reader = reader_of(job, block)
    option = reader.option(setting.key, reader.at) if reader else None
    return option.type if option is not None and not option.prefix else ""


def _bytes(job: Job, block: Block, setting: Setting) -> MemorySize | None:
    """How large a value is to the engine; None when it is no size, or nothing tells its unit."""
    text = setting.text.strip()
    if block.engine == "flink" and _type(job, block, setting) in _SIZES:
        found = measure(block.engine, "memory", text)
        return found if isinstance(found, MemorySize) else None
    return MemorySize(int(text)) if block.engine == "kafka" and text.isdigit() and _IN_BYTES.fullmatch(setting.key) else None


def _value(job: Job, block: Block, setting: Setting) -> Duration | None:
    """How long a value is to the engine; None when it is no length of time, or nothing tells its unit."""
    text, kind = setting.text.strip(), _type(job, block, setting)
    if not text.isdigit():
        if kind in _SIZES or (kind not in _TIMES and _MEGABYTES.fullmatch(text)):
            return None
        read = loose.read_time(text)
        return Duration(read.total) if read else None
    last = re.split(r"[._-]", setting.key.lower())[-1]
    unit = next((unit for words, unit in _UNITS if last in words), "duration" if kind == "duration" else "")
    found = measure(block.engine, unit, text) if unit else None
    return found if isinstance(found, Duration) else None
