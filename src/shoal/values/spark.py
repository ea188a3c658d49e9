"""Spark's value grammars: the interval grammar of triggers and watermarks, and the one of configuration values.

Checked against org.apache.spark.network.util.JavaUtils, IntervalUtils.stringToInterval and ConfigBuilder of 3.5 and 4.0.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from shoal.lazy import pattern
from shoal.records import NamedTuple
from shoal.values import (
    NANOS_PER_DAY,
    NANOS_PER_HOUR,
    NANOS_PER_MICRO,
    NANOS_PER_MILLI,
    NANOS_PER_MINUTE,
    NANOS_PER_SECOND,
    Bad,
    Duration,
    MemorySize,
    Value,
    shorten,
)
from shoal.values.java import (
    INT_BITS,
    LONG_BITS,
    LONG_MAX,
    LONG_MIN,
    equals_ignoring_case,
    limits,
    parse_integer,
    read_digits,
    trim,
)
from shoal.values.java import parse_double as parse_java_double
from shoal.values.java import parse_float as parse_java_float

MICROS_PER_DAY = 86_400_000_000
DAYS_PER_MONTH = 31
"""What a watermark counts for a month."""

_TIME_UNITS = {
    "us": NANOS_PER_MICRO,
    "ms": NANOS_PER_MILLI,
    "s": NANOS_PER_SECOND,
    "m": NANOS_PER_MINUTE,
    "min": NANOS_PER_MINUTE,
    "h": NANOS_PER_HOUR,
    "d": NANOS_PER_DAY,
}
_BYTE_UNITS = {
    "b": 1,
    "k": 1 << 10,
    "kb": 1 << 10,
    "m": 1 << 20,
    "mb": 1 << 20,
    "g": 1 << 30,
    "gb": 1 << 30,
    "t": 1 << 40,
    "tb": 1 << 40,
    "p": 1 << 50,
    "pb": 1 << 50,
}
_SUGGESTED_TIME = (
    (NANOS_PER_DAY, "d"),
    (NANOS_PER_HOUR, "h"),
    (NANOS_PER_MINUTE, "m"),
    (NANOS_PER_SECOND, "s"),
    (NANOS_PER_MILLI, "ms"),
    (NANOS_PER_MICRO, "us"),
)
_SUGGESTED_INTERVAL = (
    (NANOS_PER_DAY * 7, "week"),
    (NANOS_PER_DAY, "day"),
    (NANOS_PER_HOUR, "hour"),
    (NANOS_PER_MINUTE, "minute"),
    (NANOS_PER_SECOND, "second"),
    (NANOS_PER_MILLI, "millisecond"),
    (NANOS_PER_MICRO, "microsecond"),
)
_SUGGESTED_BYTES = ((1 << 50, "p"), (1 << 40, "t"), (1 << 30, "g"), (1 << 20, "m"), (1 << 10, "k"), (1, "b"))

_MICROS = {
    "hour": NANOS_PER_HOUR // 1000,
    "second": 1_000_000,
    "minute": 60_000_000,
    "millisecond": 1_000,
    "microsecond": 1,
}
_MONTHS = {"year": 12, "month": 1}
_DAYS = {"week": 7, "day": 1}

_BLANK = r"[\t-\r\x1c-\x20]"
_ENDS = "".join(map(chr, range(0x21))) + "\x7f"
_TIME = pattern(r"(-?[0-9]+)([a-z]+)?")
_BYTES = pattern(r"([0-9]+)([a-z]+)?")
_PIECE = pattern(
    rf"{_BLANK}*(?:([+-]){_BLANK}*(?=[0-9.]))?([0-9]*)(\.[0-9]*)?{_BLANK}+(year|month|week|day|hour|minute|second|millisecond|microsecond)s?(?:{_BLANK}+|\Z)"
)
_SQL_TEXT = pattern(rf"interval{_BLANK}*(?:'([^'\\]*)'|\"([^\"\\]*)\")", re.IGNORECASE)
_SQL_ONLY = pattern(r"\bto\b|/\*|--", re.IGNORECASE)
_SQL_NUMBER = pattern(r"(['\"])([ +\-0-9.]+)\1")


class Interval(NamedTuple):
    """Spark's calendar interval: three counts that are not converted into each other."""

    months: int
    days: int
    micros: int


def parse(type_name: str, text: str, constants: Sequence[str] = (), unit: str = "") -> Value | Bad | None:
    """The value of a setting of that type word.

    Words: "boolean", "int", "long", "double", "float", "enum", "time" (unit: "ms" unless given), "bytes" (unit: "b" unless given),
    "trigger", "watermark" (may be None: see `parse_interval`), "list<…>"; any other takes any text.
    """
    if type_name == "boolean":
        return parse_boolean(text)
    if type_name == "int":
        return parse_int(text)
    if type_name == "long":
        return parse_long(text)
    if type_name == "double":
        return parse_double(text)
    if type_name == "float":
        return parse_float(text)
    if type_name == "time":
        return parse_time(text, unit or "ms")
    if type_name == "bytes":
        return parse_bytes(text, unit or "b")
    if type_name == "trigger":
        return parse_trigger(text)
    if type_name == "watermark":
        return parse_interval(text)
    if type_name == "enum":
        return parse_enum(text, constants)
    if type_name.startswith("list<"):
        return _parse_list(type_name[5:-1], text, constants, unit)
    return text


def parse_interval(text: str) -> Duration | Bad | None:
    """The delay of `withWatermark`: "10 minutes", "1 hour 30 minutes", "interval 1 day"; 31 days a month; not negative.

    A text that starts with `interval` goes through Spark's SQL parser instead, which also takes quotes around the numbers
    or around all of them, and refuses months beside days or times. None for what only a SQL parser can tell: `… to …` and comments.
    """
    stripped = trim(text)
    as_sql = stripped.lower().startswith("interval")
    if as_sql and _SQL_ONLY.search(stripped):
        return None
    interval = parse_calendar_interval(_unquote_sql_interval(stripped) if as_sql else text)
    if isinstance(interval, Bad):
        return interval
    if as_sql and interval.months and (interval.days or interval.micros):
        return Bad("Spark's SQL parser takes no months beside days or times", None)
    micros = (interval.months * DAYS_PER_MONTH + interval.days) * MICROS_PER_DAY + interval.micros
    if not _fits_long(micros):
        return Bad("too large for an interval", None)
    return Bad("negative delays are refused", None) if micros < 0 else Duration(micros * NANOS_PER_MICRO)


def parse_trigger(text: str) -> Duration | Bad:
    """The interval of `trigger(processingTime=…)` or `continuous=…`: no months or years, not negative, cut to milliseconds."""
    interval = parse_calendar_interval(text)
    if isinstance(interval, Bad):
        return interval
    if interval.months:
        return Bad("a trigger takes no months or years", None)
    micros = interval.days * MICROS_PER_DAY + interval.micros
    if not _fits_long(micros):
        return Bad("too large for an interval", None)
    return Bad("negative intervals are refused", None) if micros < 0 else Duration(micros // 1000 * NANOS_PER_MILLI)


def parse_calendar_interval(text: str) -> Interval | Bad:
    """Pairs of a number and a spelled-out unit with blanks between: `10 seconds`, not `10s`; fractions on seconds only."""
    lowered = text.strip(_ENDS).lower()
    if not lowered:
        return Bad("empty, where an interval is needed", None)
    position = 0
    if lowered.startswith("interval"):
        if not re.match(_BLANK, lowered[8:9]):
            return Bad("an interval is pairs of a number and a unit, with blanks between", None)
        position = 9
    months = days = micros = 0
    while position < len(lowered):
        piece = _PIECE.match(lowered, position)
        if not piece or not _is_number(piece):
            return Bad(_explain_interval(lowered[position:]), _suggest_interval(text))
        sign = -1 if piece[1] == "-" else 1
        amount = read_digits(piece[2])
        fraction = (piece[3] or "")[1:]
        unit = piece[4]
        if piece[3] is not None and unit != "second":
            return Bad(f"only seconds may have a fraction, not {unit}s", _suggest_interval(text))
        if len(fraction) > 9:
            return Bad("a fraction of a second has at most nine digits", None)
        if amount is None or amount > LONG_MAX:
            return Bad("too large for an interval", None)
        months += sign * amount * _MONTHS.get(unit, 0)
        days += sign * amount * _DAYS.get(unit, 0)
        step = sign * amount * _MICROS.get(unit, 0)
        sum_before_fraction = micros + step
        micros = sum_before_fraction + sign * (int(fraction.ljust(9, "0")) // 1000)
        if not (_fits_int(months) and _fits_int(days) and _fits_long(step) and _fits_long(sum_before_fraction) and _fits_long(micros)):
            return Bad("too large for an interval", None)
        position = piece.end()
    return Interval(months, days, micros)


def parse_time(text: str, unit: str = "ms") -> Duration | Bad:
    """A configuration time: digits and at once a unit (us, ms, s, m, min, h, d), or `unit` without; cut to whole `unit`s."""
    trimmed = trim(text.lower())
    match = _TIME.fullmatch(trimmed)
    if not match:
        return Bad(_explain_conf(trimmed, "time"), _suggest_time(trimmed, _TIME_UNITS[unit]))
    amount = _read_long(match[1])
    if amount is None:
        return Bad("does not fit a 64-bit integer", None)
    size = _TIME_UNITS.get(match[2]) if match[2] else _TIME_UNITS[unit]
    if size is None:
        return Bad(f"`{shorten(match[2])}` is not a unit of time here", _suggest_time(trimmed, _TIME_UNITS[unit]))
    base = _TIME_UNITS[unit]
    count = abs(amount) * size // base
    count = max(-count, LONG_MIN) if amount < 0 else min(count, LONG_MAX)
    return Duration(count * base)


def parse_bytes(text: str, unit: str = "b") -> MemorySize | Bad:
    """A configuration size: digits and at once a unit (b, k, kb, … p, pb), or `unit` ("b", "k", "m", "g") without; whole `unit`s."""
    negative = text.startswith("-")
    trimmed = trim(text[1:].lower() if negative else text.lower())
    match = _BYTES.fullmatch(trimmed)
    if not match:
        return Bad(_explain_conf(trimmed, "size"), None if negative else _suggest_bytes(trimmed))
    amount = _read_long(match[1])
    if amount is None:
        return Bad("does not fit a 64-bit integer", None)
    size = _BYTE_UNITS.get(match[2]) if match[2] else _BYTE_UNITS[unit]
    if size is None:
        return Bad(f"`{shorten(match[2])}` is not a unit of memory here", None if negative else _suggest_bytes(trimmed))
    base = _BYTE_UNITS[unit]
    count = amount * size // base
    if size > base and count > LONG_MAX:
        return Bad("too large for a size", None)
    return MemorySize((-count if negative else count) * base)


def parse_boolean(text: str) -> bool | Bad:
    """`true` or `false` in any case, blanks around them cut."""
    trimmed = trim(text)
    if equals_ignoring_case(trimmed, "true"):
        return True
    if equals_ignoring_case(trimmed, "false"):
        return False
    return Bad("only `true` and `false` are booleans", _suggest_boolean(trimmed))


def parse_int(text: str) -> int | Bad:
    return parse_integer(trim(text), INT_BITS)


def parse_long(text: str) -> int | Bad:
    return parse_integer(trim(text), LONG_BITS)


def parse_double(text: str) -> float | Bad:
    return parse_java_double(text)


def parse_float(text: str) -> float | Bad:
    return parse_java_float(text)


def parse_enum(text: str, constants: Sequence[str]) -> str | Bad:
    """One of the constants, whatever the case: nearly all of Spark's enumerated settings are upper-cased when read."""
    for constant in constants:
        if constant.upper() == text.upper():
            return constant
    return Bad(f"not one of {', '.join(constants)}", None)


def parse_list(text: str) -> list[str]:
    """Elements between commas, each trimmed, empty ones dropped."""
    return [element for element in map(trim, text.split(",")) if element]


def _parse_list(element: str, text: str, constants: Sequence[str], unit: str) -> list[Value] | Bad:
    values: list[Value] = []
    for part in parse_list(text):
        value = parse(element, part, constants, unit)
        if isinstance(value, Bad):
            return Bad(f"element `{shorten(part)}`: {value.why}", None)
        values.append(part if value is None else value)
    return values


def _unquote_sql_interval(text: str) -> str:
    whole = _SQL_TEXT.fullmatch(text)
    if whole:
        return whole[1] if whole[1] is not None else whole[2]
    return _SQL_NUMBER.sub(r" \2 ", text)


def _is_number(piece: re.Match[str]) -> bool:
    sign, whole, fraction = piece.group(1, 2, 3)
    return bool(whole) or (fraction is not None and (sign is not None or len(fraction) > 1))


def _read_long(text: str) -> int | None:
    amount = read_digits(text.lstrip("-"))
    if amount is None:
        return None
    amount = -amount if text[0] == "-" else amount
    return amount if _fits_long(amount) else None


def _fits_long(number: int) -> bool:
    return LONG_MIN <= number <= LONG_MAX


def _fits_int(number: int) -> bool:
    low, high = limits(INT_BITS)
    return low <= number <= high


def _explain_interval(rest: str) -> str:
    if re.match(r"[+-]?[0-9.]+[a-z]", rest):
        return "a blank is needed between the number and a spelled-out unit"
    word = re.match(rf"[+-]?{_BLANK}*[0-9.]+{_BLANK}+([a-z]+)", rest)
    if word:
        return f"`{shorten(word[1])}` is not a unit of an interval"
    if re.fullmatch(r"[+-]?[0-9.]+", rest):
        return "the unit is missing"
    return "an interval is pairs of a number and a unit, with blanks between"


def _explain_conf(text: str, noun: str) -> str:
    if not text:
        return f"empty, where a {noun} is needed"
    if re.match(r"-?[0-9]*[._,][0-9]", text):
        return f"the amount of a {noun} is a whole number"
    if re.match(r"-?[0-9]+\s", text):
        return "no blank is taken between the number and the unit"
    return f"a {noun} is one whole number and one unit, without a blank"


def _suggest_interval(text: str) -> str | None:
    from shoal.values.loose import read_time

    quantity = read_time(text)
    if quantity is None or quantity.total % NANOS_PER_MICRO:
        return None
    for size, unit in _SUGGESTED_INTERVAL:
        if quantity.unit == size or (not quantity.unit and quantity.total and quantity.total % size == 0):
            count = quantity.total // size
            suggestion = f"{count} {unit}" if count == 1 else f"{count} {unit}s"
            return None if isinstance(parse_interval(suggestion), Bad) else suggestion
    return None


def _suggest_time(text: str, base: int) -> str | None:
    """The same length in a spelling that is read; None where cutting to whole `base` units, or to what fits 64 bits, makes another of it."""
    from shoal.values.loose import read_time

    quantity = read_time(text)
    if quantity is None or quantity.total % base or not _fits_long(quantity.total // base):
        return None
    for size, unit in _SUGGESTED_TIME:
        if quantity.unit == size or (quantity.unit not in _TIME_UNITS.values() and quantity.total % size == 0):
            return f"{quantity.total // size}{unit}"
    return None


def _suggest_bytes(text: str) -> str | None:
    from shoal.values.loose import read_size

    quantity = read_size(text)
    if quantity is None:
        return None
    for size, unit in _SUGGESTED_BYTES:
        if quantity.unit == size or (not quantity.unit and quantity.total % size == 0):
            return f"{quantity.total // size}{unit}"
    return None


def _suggest_boolean(text: str) -> str | None:
    from shoal.values.loose import read_boolean

    meant = read_boolean(text)
    return None if meant is None else str(meant).lower()
