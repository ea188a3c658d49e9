"""How the Java library reads numbers and compares text; every JVM engine builds on it.

Facts: java.lang.Integer.parseInt takes any Unicode decimal digit of the basic plane, java.lang.Double.parseDouble
only ASCII ones, `String.trim` cuts the characters up to U+0020. Checked against JDK 17.
"""

from __future__ import annotations

import re
from math import isnan

from shoal.lazy import pattern
from shoal.records import NamedTuple
from shoal.values import Bad

INT_BITS = 32
LONG_BITS = 64
SHORT_BITS = 16
LONG_MAX = (1 << 63) - 1
LONG_MIN = -(1 << 63)

_TRIMMED = "".join(map(chr, range(0x21)))
_MOST_DIGITS = 60
"""More significant digits than any number here can have: int() is slow, or refuses, on long texts."""

_INTEGER = pattern(r"[+-]?\d+")
_DECIMAL = pattern(r"[+-]?(?:NaN|Infinity|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?[fFdD]?)")
_HEX = pattern(r"([+-]?)0[xX]([0-9a-fA-F]*)(\.?)([0-9a-fA-F]*)[pP]([+-]?[0-9]+)[fFdD]?")
_FLOAT_MAX = 3.4028235677973366e38
"""Half way between the largest 32-bit float and the next power of two: from here on it rounds to infinity."""

_KINDS = {SHORT_BITS: "16-bit", INT_BITS: "32-bit", LONG_BITS: "64-bit"}


class _Limits(NamedTuple):
    low: int
    high: int


def trim(text: str) -> str:
    """Cuts what `String.trim` cuts: control characters and blanks up to U+0020, not other Unicode spaces."""
    return text.strip(_TRIMMED)


def limits(bits: int) -> _Limits:
    return _Limits(-(1 << bits - 1), (1 << bits - 1) - 1)


def read_digits(digits: str) -> int | None:
    """The number that decimal digits spell; None for one too long to fit any type."""
    significant = digits.lstrip("0")
    return int(significant or "0") if len(significant) <= _MOST_DIGITS else None


def equals_ignoring_case(text: str, word: str) -> bool:
    """`String.equalsIgnoreCase` against an ASCII word: the long s and the Kelvin sign count as s and k."""
    return text.replace("\u017f", "s").lower() == word.lower() and len(text) == len(word)


def parse_integer(text: str, bits: int) -> int | Bad:
    """`Integer.parseInt` and its likes: no blanks, an optional sign, decimal digits, in range."""
    if not _INTEGER.fullmatch(text) or max(text) > "\uffff":
        return Bad("not a whole number" if text else "empty, where a whole number is needed", _suggest_integer(text, bits))
    negative = text[0] == "-"
    digits = text.lstrip("+-")
    value = read_digits(digits if digits.isascii() else "".join(str(int(digit)) for digit in digits))
    low, high = limits(bits)
    if value is not None and low <= (-value if negative else value) <= high:
        return -value if negative else value
    return Bad(f"does not fit a {_KINDS[bits]} integer ({low} to {high})", None)


def parse_double(text: str) -> float | Bad:
    """`Double.parseDouble`: trims, takes `NaN`, `Infinity`, a type suffix and hexadecimal; overflow gives infinity."""
    trimmed = trim(text)
    if _DECIMAL.fullmatch(trimmed):
        return float(trimmed.rstrip("fFdD") if trimmed[-1] in "fFdD" else trimmed)
    hexadecimal = _HEX.fullmatch(trimmed)
    if hexadecimal and (hexadecimal[2] or hexadecimal[4]) and (hexadecimal[3] or not hexadecimal[4]):
        return _read_hexadecimal(*hexadecimal.group(1, 2, 4, 5))
    return Bad("not a number" if trimmed else "empty, where a number is needed", _suggest_decimal(trimmed))


def parse_float(text: str) -> float | Bad:
    """`Float.parseFloat`, rounded to 32 bits."""
    value = parse_double(text)
    if isinstance(value, Bad) or isnan(value):
        return value
    if abs(value) >= _FLOAT_MAX:
        return float("inf") if value > 0 else float("-inf")
    from struct import pack, unpack

    return float(unpack("f", pack("f", value))[0])


def _read_hexadecimal(sign: str, whole: str, fraction: str, exponent: str) -> float:
    if len(exponent) > 9:
        small = exponent.startswith("-") or not (whole + fraction).strip("0")
        value = 0.0 if small else float("inf")
        return -value if sign == "-" else value
    try:
        return float.fromhex(f"{sign}0x{whole or '0'}.{fraction or '0'}p{exponent}")
    except OverflowError:
        return float("-inf" if sign == "-" else "inf")


def _suggest_integer(text: str, bits: int) -> str | None:
    bare = unquote(text)
    match = re.fullmatch(r"([+-]?)([0-9]+(?:_[0-9]+)*)(?:\.0*)?[lL]?", bare)
    if not match:
        return None
    suggestion = match[1].replace("+", "") + match[2].replace("_", "")
    return None if suggestion == text or isinstance(parse_integer(suggestion, bits), Bad) else suggestion


def _suggest_decimal(text: str) -> str | None:
    bare = unquote(text)
    suggestion = re.sub(r"(?<=[0-9])_(?=[0-9])", "", bare)
    return suggestion if suggestion != text and _DECIMAL.fullmatch(suggestion) else None


def unquote(text: str) -> str:
    """The text without blanks around it, nor one pair of quotes around it."""
    bare = trim(text)
    if len(bare) >= 2 and bare[0] == bare[-1] and bare[0] in "'\"":
        return trim(bare[1:-1])
    return bare
