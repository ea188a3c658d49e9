"""Flink's value grammars, from 1.13 to 2.3.

`version` is (major, minor) or None. Without it the grammar of the newest Flink counts, which takes all that the older ones take.
Checked against org.apache.flink.util.TimeUtils, org.apache.flink.configuration.MemorySize and ConfigurationUtils
of 1.13.6 to 2.3.0: `m` for minutes since 1.15, YAML lists and maps in `config.yaml` since 1.19,
amounts above 64 bits since 2.0, ISO-8601 since 2.1.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from shoal.lazy import pattern
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
    parse_double,
    parse_float,
    parse_integer,
    read_digits,
    trim,
    unquote,
)

Version = tuple[int, int]

_TIME_LABELS = {
    "d": NANOS_PER_DAY,
    "day": NANOS_PER_DAY,
    "days": NANOS_PER_DAY,
    "h": NANOS_PER_HOUR,
    "hour": NANOS_PER_HOUR,
    "hours": NANOS_PER_HOUR,
    "min": NANOS_PER_MINUTE,
    "m": NANOS_PER_MINUTE,
    "minute": NANOS_PER_MINUTE,
    "minutes": NANOS_PER_MINUTE,
    "s": NANOS_PER_SECOND,
    "sec": NANOS_PER_SECOND,
    "secs": NANOS_PER_SECOND,
    "second": NANOS_PER_SECOND,
    "seconds": NANOS_PER_SECOND,
    "ms": NANOS_PER_MILLI,
    "milli": NANOS_PER_MILLI,
    "millis": NANOS_PER_MILLI,
    "millisecond": NANOS_PER_MILLI,
    "milliseconds": NANOS_PER_MILLI,
    "µs": NANOS_PER_MICRO,
    "micro": NANOS_PER_MICRO,
    "micros": NANOS_PER_MICRO,
    "microsecond": NANOS_PER_MICRO,
    "microseconds": NANOS_PER_MICRO,
    "ns": 1,
    "nano": 1,
    "nanos": 1,
    "nanosecond": 1,
    "nanoseconds": 1,
}
_SUGGESTED_LABELS = {
    NANOS_PER_DAY: "d",
    NANOS_PER_HOUR: "h",
    NANOS_PER_MINUTE: "min",
    NANOS_PER_SECOND: "s",
    NANOS_PER_MILLI: "ms",
    NANOS_PER_MICRO: "micros",
    1: "ns",
}
_MEMORY_LABELS = {
    "": 1,
    "b": 1,
    "bytes": 1,
    "k": 1 << 10,
    "kb": 1 << 10,
    "kibibytes": 1 << 10,
    "m": 1 << 20,
    "mb": 1 << 20,
    "mebibytes": 1 << 20,
    "g": 1 << 30,
    "gb": 1 << 30,
    "gibibytes": 1 << 30,
    "t": 1 << 40,
    "tb": 1 << 40,
    "tebibytes": 1 << 40,
}
_SUGGESTED_MEMORY = {1: "b", 1 << 10: "kb", 1 << 20: "mb", 1 << 30: "gb", 1 << 40: "tb"}

_AMOUNT = pattern(r"([0-9]*)(.*)", re.DOTALL)
_ISO = pattern(
    r"([-+]?)P(?:([-+]?[0-9]+)D)?(T(?:([-+]?[0-9]+)H)?(?:([-+]?[0-9]+)M)?(?:([-+]?[0-9]+)(?:[.,]([0-9]{0,9}))?S)?)?",
    re.IGNORECASE | re.ASCII,
)
_BARE_NUMBER = pattern(r"\+?([0-9]+(?:_[0-9]+)*)")
_LIST_TYPE = pattern(r"list<(.+)>")

_MINUTE_M_SINCE = (1, 15)
_LARGE_SINCE = (2, 0)
_ISO_SINCE = (2, 1)
_YAML_SINCE = (1, 19)


def parse(type_name: str, text: str, constants: Sequence[str] = (), version: Version | None = None) -> Value | Bad:
    """The value of an option of that catalogue type ("duration", "list<string>", …).

    constants: what the enum's constants print, for "enum" and "list<enum>".
    A type that is not known here takes any text.
    """
    if type_name == "duration":
        return parse_duration(text, version)
    if type_name == "memory":
        return parse_memory(text)
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
    if type_name == "enum":
        return parse_enum(text, constants)
    if type_name == "map":
        return parse_map(text, version)
    element = _LIST_TYPE.fullmatch(type_name)
    if element or type_name == "list":
        return _parse_typed_list(element[1] if element else "string", text, constants, version)
    return text


def parse_duration(text: str, version: Version | None = None) -> Duration | Bad:
    """Digits, blanks, a unit of any case; milliseconds without a unit; since 2.1 also ISO-8601 (`PT10M`)."""
    trimmed = trim(text)
    if not trimmed:
        return Bad("empty, where a duration is needed", None)
    number, rest = _split_amount(trimmed)
    if not number:
        return _parse_iso(trimmed, version)
    label = trim(rest).lower()
    size = _TIME_LABELS.get(label) if label else NANOS_PER_MILLI
    if size is None:
        return Bad(_explain_label(label), _suggest_duration(trimmed))
    if label == "m" and version and version < _MINUTE_M_SINCE:
        return Bad("`m` is not a unit before Flink 1.15", f"{number} min")
    value = read_digits(number)
    if value is None or value * size // NANOS_PER_SECOND > LONG_MAX or (version and version < _LARGE_SINCE and value > LONG_MAX):
        return Bad("too large for a duration", None)
    return Duration(value * size)


def parse_memory(text: str) -> MemorySize | Bad:
    """Digits, blanks, a unit of any case (b, k, kb, kibibytes, …, tb); bytes without a unit."""
    trimmed = trim(text)
    if not trimmed:
        return Bad("empty, where a memory size is needed", None)
    number, rest = _split_amount(trimmed)
    if not number:
        return Bad("negative sizes are refused" if trimmed[0] == "-" else "does not start with a number", _suggest_memory(trimmed))
    label = trim(rest).lower()
    size = _MEMORY_LABELS.get(label)
    if size is None:
        return Bad(_explain_memory_label(label), _suggest_memory(trimmed))
    value = read_digits(number)
    if value is None or value * size > LONG_MAX:
        return Bad("too large: sizes end at 2^63 - 1 bytes", None)
    return MemorySize(value * size)


def parse_boolean(text: str) -> bool | Bad:
    """`true` or `false` in any case, and nothing around it."""
    upper = text.upper()
    if upper == "TRUE":
        return True
    if upper == "FALSE":
        return False
    from shoal.values.loose import read_boolean

    meant = read_boolean(text)
    why = "only `true` and `false` are booleans" if text else "empty, where `true` or `false` is needed"
    return Bad(why, None if meant is None else str(meant).lower())


def parse_int(text: str) -> int | Bad:
    return parse_integer(text, INT_BITS)


def parse_long(text: str) -> int | Bad:
    return parse_integer(text, LONG_BITS)


def parse_enum(text: str, constants: Sequence[str]) -> str | Bad:
    """The constant that prints as the text, whatever the case; nothing is trimmed, `-` is not `_`."""
    upper = text.upper()
    for constant in constants:
        if constant.upper() == upper:
            return constant
    squeezed = _squeeze(text)
    alike = [constant for constant in constants if _squeeze(constant) == squeezed]
    return Bad(f"not one of {', '.join(constants)}", alike[0] if squeezed and len(alike) == 1 else None)


def parse_list(text: str, version: Version | None = None) -> list[str] | Bad:
    """Elements between `;`, quoted with ' or " where needed; since 1.19 a YAML list is tried first."""
    if not version or version >= _YAML_SINCE:
        from shoal.values import flink_yaml

        elements = flink_yaml.read_list(text)
        if elements is not None:
            return elements
    return _split_quoted(text, ";")


def parse_map(text: str, version: Version | None = None) -> dict[str, str] | Bad:
    """`key:value` pairs between `,`, quoted where needed; since 1.19 a YAML map is tried first."""
    if not version or version >= _YAML_SINCE:
        from shoal.values import flink_yaml

        pairs = flink_yaml.read_map(text)
        if pairs is not None:
            return pairs
    return _split_map(text)


def _split_map(text: str) -> dict[str, str] | Bad:
    items = _split_quoted(text, ",")
    if isinstance(items, Bad):
        return items
    result: dict[str, str] = {}
    for item in items:
        pair = _split_quoted(item, ":")
        if isinstance(pair, Bad):
            return pair
        if len(pair) != 2:
            return Bad(f"`{shorten(item)}` is not one `key:value` pair", None)
        if pair[0] in result:
            return Bad(f"the key `{shorten(pair[0])}` comes twice", None)
        result[pair[0]] = pair[1]
    return result


def _parse_typed_list(element: str, text: str, constants: Sequence[str], version: Version | None) -> list[Value] | Bad:
    """Like the engine: if one element of the YAML list does not fit, the whole text is split at `;` instead."""
    refusal: Bad | None = None
    for split in (parse_list(text, version), _split_quoted(text, ";")):
        if isinstance(split, Bad):
            return refusal or split
        values = [parse(element, part, constants, version) for part in split]
        bad = next((value for value in values if isinstance(value, Bad)), None)
        if bad is None:
            return [value for value in values if not isinstance(value, Bad)]
        refusal = refusal or Bad(f"element `{shorten(split[values.index(bad)])}`: {bad.why}", None)
    return refusal or Bad("not a list", None)


def _split_amount(text: str) -> tuple[str, str]:
    match = _AMOUNT.fullmatch(text)
    return (match[1], match[2]) if match else ("", text)


def _parse_iso(text: str, version: Version | None) -> Duration | Bad:
    match = _ISO.fullmatch(text)
    if not match or not any(match.group(2, 4, 5, 6)) or (match[3] or "").upper() == "T":
        return Bad(_explain_start(text), _suggest_duration(text))
    if version and version < _ISO_SINCE:
        return Bad("ISO-8601 durations are read since Flink 2.1 only", _suggest_duration(text))
    seconds = 0
    for part, size in zip(match.group(2, 4, 5, 6), (86_400, 3_600, 60, 1), strict=True):
        amount = read_digits(part.lstrip("+-")) if part else 0
        if amount is None or amount * size > LONG_MAX:
            return Bad("too large for a duration", None)
        seconds += -amount * size if part and part[0] == "-" else amount * size
    nanos = int((match[7] or "").ljust(9, "0"))
    if match[6] and match[6][0] == "-":
        nanos = -nanos
    total = seconds * NANOS_PER_SECOND + nanos
    if match[1] == "-":
        total = -total
    if total < 0:
        return Bad("negative durations are refused", None)
    if not LONG_MIN <= total // NANOS_PER_SECOND <= LONG_MAX:
        return Bad("too large for a duration", None)
    return Duration(total)


def _explain_start(text: str) -> str:
    return "negative durations are refused" if text[0] == "-" else "does not start with a number"


def _explain_label(label: str) -> str:
    if label[0] in ".,_":
        return "the amount of a duration is a whole number"
    if any("0" <= character <= "9" for character in label):
        return "a duration is one number and one unit"
    return f"`{shorten(label)}` is not a unit of time"


def _explain_memory_label(label: str) -> str:
    return "the amount of a memory size is a whole number" if label[0] in ".,_" else f"`{shorten(label)}` is not a unit of memory"


def _suggest_duration(text: str) -> str | None:
    from shoal.values.loose import read_time

    quantity = read_time(text)
    if quantity is None:
        bare = _BARE_NUMBER.fullmatch(unquote(text))
        return bare[1].replace("_", "") if bare else None
    label = _SUGGESTED_LABELS.get(quantity.unit)
    suggestion = f"{quantity.total // quantity.unit} {label}" if label else str(Duration(quantity.total))
    return None if isinstance(parse_duration(suggestion), Bad) else suggestion


def _suggest_memory(text: str) -> str | None:
    from shoal.values.loose import read_size

    quantity = read_size(text)
    if quantity is None:
        bare = _BARE_NUMBER.fullmatch(unquote(text))
        return bare[1].replace("_", "") if bare else None
    label = _SUGGESTED_MEMORY.get(quantity.unit)
    suggestion = f"{quantity.total // quantity.unit} {label}" if label else str(MemorySize(quantity.total))
    return None if isinstance(parse_memory(suggestion), Bad) else suggestion


def _squeeze(text: str) -> str:
    return re.sub(r"[\W_]", "", text).upper()


def _split_quoted(text: str, delimiter: str) -> list[str] | Bad:
    """Splits as the engine's option splitter: quotes double to escape, an empty last element is dropped."""
    parts: list[str] = []
    position = 0
    previous = ""
    while position < len(text):
        character = text[position]
        if character == delimiter:
            if previous == delimiter:
                parts.append("")
            previous = delimiter
            position += 1
        elif character in "'\"":
            if previous in ("quoted", "plain"):
                return Bad("text next to a quoted part", None)
            quoted = re.compile(f"{character}((?:[^{character}]|{character}{character})*){character}").match(text, position)
            if not quoted:
                return Bad("a quote is not closed", None)
            parts.append(quoted[1].replace(character * 2, character))
            previous = "quoted"
            position = quoted.end()
        elif _is_blank(character):
            position += 1
        else:
            if previous == "quoted":
                return Bad("text next to a quoted part", None)
            end = text.find(delimiter, position)
            end = len(text) if end < 0 else end
            parts.append(trim(text[position:end]))
            previous = "plain"
            position = end
    return parts


def _is_blank(character: str) -> bool:
    """`Character.isWhitespace`: Unicode separators except the no-break ones, and the control blanks."""
    return character.isspace() and character not in "\x85\xa0\u2007\u202f"
