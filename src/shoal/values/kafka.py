"""What each Kafka client makes of a setting's text: the Java client, librdkafka and kafka-python differ.

Checked against ConfigDef.parseType of kafka-clients 3.9 and 4.1, librdkafka 2.16.0 and kafka-python 3.0.12.
"""

from __future__ import annotations

import re

from shoal.lazy import pattern
from shoal.values import Bad, Value
from shoal.values.java import (
    INT_BITS,
    LONG_BITS,
    LONG_MAX,
    LONG_MIN,
    SHORT_BITS,
    equals_ignoring_case,
    parse_integer,
    read_digits,
    trim,
)
from shoal.values.java import parse_double as parse_java_double

_BETWEEN = pattern(r"[ \t-\r]*,[ \t-\r]*")
_C_INTEGER = pattern(r"[ \t-\r]*([+-]?)(?:0[xX]([0-9a-fA-F]+)|0([0-7]*)|([1-9][0-9]*))")
_C_DOUBLE = pattern(
    r"[ \t-\r]*([+-]?(?:0[xX](?:[0-9a-fA-F]+\.?[0-9a-fA-F]*|\.[0-9a-fA-F]+)(?:[pP][+-]?[0-9]+)?"
    r"|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|infinity|inf|nan))",
    re.IGNORECASE,
)
_C_TRUE = frozenset(("true", "t", "1"))
_C_FALSE = frozenset(("false", "f", "0"))


def parse(type_name: str, text: str) -> Value | Bad:
    """The value in the Java client, by `ConfigDef` type ("INT", "LONG", "SHORT", "DOUBLE", "BOOLEAN", "LIST", "STRING", …; any case).

    Every text is trimmed first. A type that is not known here is taken as a string.
    """
    kind = type_name.upper()
    if kind == "BOOLEAN":
        return parse_boolean(text)
    if kind == "INT":
        return parse_int(text)
    if kind == "LONG":
        return parse_long(text)
    if kind == "SHORT":
        return parse_integer(trim(text), SHORT_BITS)
    if kind == "DOUBLE":
        return parse_java_double(text)
    if kind == "LIST":
        return [*parse_list(text)]
    return trim(text)


def parse_boolean(text: str) -> bool | Bad:
    trimmed = trim(text)
    if equals_ignoring_case(trimmed, "true"):
        return True
    if equals_ignoring_case(trimmed, "false"):
        return False
    return Bad("only `true` and `false` are booleans", _suggest_boolean(text))


def parse_int(text: str) -> int | Bad:
    return parse_integer(trim(text), INT_BITS)


def parse_long(text: str) -> int | Bad:
    return parse_integer(trim(text), LONG_BITS)


def parse_list(text: str) -> list[str]:
    """Elements between commas, each trimmed, empty ones kept; an empty text is an empty list."""
    trimmed = trim(text)
    return _BETWEEN.split(trimmed) if trimmed else []


def parse_librdkafka(type_name: str, text: str) -> Value | Bad:
    """The value in librdkafka (confluent-kafka and others): types as in `parse`; nothing is trimmed."""
    kind = type_name.upper()
    if kind == "BOOLEAN":
        return parse_librdkafka_boolean(text)
    if kind in ("INT", "LONG", "SHORT"):
        return parse_librdkafka_int(text)
    if kind == "DOUBLE":
        return parse_librdkafka_double(text)
    return text


def parse_librdkafka_boolean(text: str) -> bool | Bad:
    """`true`, `t`, `1`, `false`, `f`, `0` in any case, and nothing around them."""
    lowered = text.lower()
    if lowered in _C_TRUE:
        return True
    if lowered in _C_FALSE:
        return False
    why = "only `true` and `false` (or t, 1, f, 0) are booleans" if text else "empty, where a boolean is needed"
    return Bad(why, _suggest_boolean(text))


def parse_librdkafka_int(text: str) -> int | Bad:
    """C's `strtol` of any base, cut to 32 bits: `0x10` is 16, `010` is 8, and what follows the digits is ignored (`10 s` is 10)."""
    match = _C_INTEGER.match(text)
    if not match:
        return Bad("not a whole number" if text else "empty, where a whole number is needed", None)
    sign, hexadecimal, octal, decimal = match.groups()
    amount: int | None
    if hexadecimal is not None:
        amount = int(hexadecimal, 16)
    elif octal is not None:
        amount = int(octal or "0", 8)
    else:
        amount = read_digits(decimal)
    amount = LONG_MAX + 1 if amount is None else amount
    saturated = max(-amount, LONG_MIN) if sign == "-" else min(amount, LONG_MAX)
    return (saturated + (1 << 31)) % (1 << 32) - (1 << 31)


def parse_librdkafka_double(text: str) -> float | Bad:
    """C's `strtod`: what follows the number is ignored."""
    match = _C_DOUBLE.match(text)
    if not match:
        return Bad("not a number" if text else "empty, where a number is needed", None)
    number = match[1].lower()
    try:
        return float.fromhex(number) if "0x" in number else float(number)
    except OverflowError:
        return float("-inf" if number[0] == "-" else "inf")


def parse_kafka_python(type_name: str, value: object) -> object | Bad:
    """A keyword argument of kafka-python, which converts nothing: a text where a boolean belongs counts as true."""
    kind = type_name.upper()
    if kind == "BOOLEAN" and isinstance(value, str):
        meant = _suggest_boolean(value)
        counts = "true" if value else "false"
        return Bad(f"kafka-python converts no texts: this one counts as {counts}", meant.capitalize() if meant else None)
    if kind in ("INT", "LONG", "SHORT", "DOUBLE") and isinstance(value, str):
        number = parse_long(value)
        return Bad(
            "kafka-python converts no texts, and a text cannot be compared with a number", None if isinstance(number, Bad) else str(number)
        )
    return value


def _suggest_boolean(text: str) -> str | None:
    from shoal.values.loose import read_boolean

    meant = read_boolean(text)
    return None if meant is None else str(meant).lower()
