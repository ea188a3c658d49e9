"""Reads a length of time or a size as a person means it, to suggest a text that the engine takes.

Only what is certain: every number has a unit, and the unit has one meaning.
"""

from __future__ import annotations

import re

from shoal.lazy import pattern
from shoal.records import NamedTuple
from shoal.values import (
    NANOS_PER_DAY,
    NANOS_PER_HOUR,
    NANOS_PER_MICRO,
    NANOS_PER_MILLI,
    NANOS_PER_MINUTE,
    NANOS_PER_SECOND,
)
from shoal.values.java import unquote

_TIME_WORDS = {
    NANOS_PER_DAY * 7: "w week weeks",
    NANOS_PER_DAY: "d day days",
    NANOS_PER_HOUR: "h hr hrs hour hours",
    NANOS_PER_MINUTE: "m min mins minute minutes",
    NANOS_PER_SECOND: "s sec secs second seconds",
    NANOS_PER_MILLI: "ms msec msecs milli millis millisec millisecs millisecond milliseconds",
    NANOS_PER_MICRO: "us usec usecs µs \u03bcs micro micros microsecond microseconds",
    1: "ns nano nanos nanosec nanosecs nanosecond nanoseconds",
}
_TIME = {word: size for size, words in _TIME_WORDS.items() for word in words.split()}

_MEMORY_WORDS = {
    1: "b byte bytes",
    1 << 10: "k kb ki kib kibibyte kibibytes",
    1 << 20: "m mb mi mib mebibyte mebibytes",
    1 << 30: "g gb gi gib gibibyte gibibytes",
    1 << 40: "t tb ti tib tebibyte tebibytes",
    1 << 50: "p pb pi pib pebibyte pebibytes",
}
_MEMORY = {word: size for size, words in _MEMORY_WORDS.items() for word in words.split()}

_TRUE_WORDS = frozenset(("true", "yes", "y", "on", "1", "t", "enable", "enabled"))
_FALSE_WORDS = frozenset(("false", "no", "n", "off", "0", "f", "disable", "disabled"))

_PIECE = pattern(r"\s*\+?([0-9]{1,18}(?:_[0-9]{1,18})*)(?:\.([0-9]{1,12}))?\s*([a-zµ\u03bc]+)\s*(?:,|\band\b)?", re.IGNORECASE)
_ISO = pattern(r"P(?:([0-9]{1,9})W|(?:([0-9]{1,9})D)?(?:T(?=[0-9])(?:([0-9]{1,9})H)?(?:([0-9]{1,9})M)?(?:([0-9]{1,9})S)?)?)", re.IGNORECASE)


class Quantity(NamedTuple):
    """An amount of a base unit (nanoseconds, bytes) and the unit it was written in; 0 for more than one."""

    total: int
    unit: int


def read_time(text: str) -> Quantity | None:
    """A length of time in nanoseconds: "10 mins", "1h30m", "1.5 s", "P1W"; None where it is not certain."""
    bare = unquote(text)
    iso = _ISO.fullmatch(bare)
    if iso and any(iso.groups()):
        sizes = (7 * NANOS_PER_DAY, NANOS_PER_DAY, NANOS_PER_HOUR, NANOS_PER_MINUTE, NANOS_PER_SECOND)
        return Quantity(sum(int(part or 0) * size for part, size in zip(iso.groups(), sizes, strict=True)), 0)
    return _read_pieces(bare, _TIME)


def read_size(text: str) -> Quantity | None:
    """A size in bytes: "1Gi", "1.5 g", "1 MiB"; the units are binary, as every engine here has them."""
    return _read_pieces(unquote(text), _MEMORY)


def read_boolean(text: str) -> bool | None:
    """What "yes", "off", "1" and the like mean."""
    word = unquote(text).lower()
    return True if word in _TRUE_WORDS else False if word in _FALSE_WORDS else None


def _read_pieces(text: str, units: dict[str, int]) -> Quantity | None:
    position = total = count = unit = 0
    while position < len(text):
        piece = _PIECE.match(text, position)
        if not piece or piece.end() == position or count == 8:
            return None
        size = units.get(piece[3].lower())
        if size is None or (count and size >= unit):
            return None
        fraction = piece[2] or ""
        amount = int(piece[1].replace("_", "") + fraction) * size
        if amount % 10 ** len(fraction):
            return None
        total += amount // 10 ** len(fraction)
        unit = size
        count += 1
        position = piece.end()
    if not count or text.rstrip().endswith(","):
        return None
    return Quantity(total, unit if count == 1 and total % unit == 0 else 0)
