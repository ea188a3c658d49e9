"""YAML values of Flink 1.19+: plain scalars of `config.yaml`, and list and map options whose text is YAML.

Flink reads YAML 1.2 with the core schema (snakeyaml-engine) and keeps the typed object; a setting then sees what Java prints for it.
"""

from __future__ import annotations

import re
from math import isinf, isnan
from typing import Any

from shoal.lazy import pattern
from shoal.values.java import LONG_MAX

_MAYBE_LIST = pattern(r"\s*(?:\[|-(?:\s|$)|[#!&%]|---)")
_MAYBE_MAP = pattern(r"\s*(?:\{|[#!&%?]|---)|[^\n]*?:(?:\s|$)", re.DOTALL)
_LONGEST = 100_000

_NULL = frozenset(("", "~", "null", "Null", "NULL"))
_BOOL = pattern(r"true|True|TRUE|false|False|FALSE")
_DECIMAL = pattern(r"[-+]?[0-9]+")
_OCTAL = pattern(r"0o[0-7]+")
_HEX = pattern(r"0x[0-9a-fA-F]+")
_SPECIAL = pattern(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_FLOAT = pattern(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")


def print_plain(text: str) -> str | None:
    """What a setting of `config.yaml` sees for an unquoted scalar: "0x1F" → "31", "True" → "true", "1e3" → "1000.0"; None for null."""
    if text in _NULL:
        return None
    if _BOOL.fullmatch(text):
        return text.lower()
    if _DECIMAL.fullmatch(text):
        digits = text.lstrip("+-0") or "0"
        return "-" + digits if text[0] == "-" and digits != "0" else digits
    if _OCTAL.fullmatch(text):
        return _print_integer(int(text[2:], 8), text)
    if _HEX.fullmatch(text):
        return _print_integer(int(text[2:], 16), text)
    if text[-3:].lower() in ("inf", "nan") and _SPECIAL.fullmatch(text):
        return print_double(float(text.replace(".", "")))
    return print_double(float(text)) if _FLOAT.fullmatch(text) else text


def print_double(value: float) -> str:
    """`Double.toString`, but for the last digits of some numbers before JDK 19."""
    if isnan(value) or isinf(value):
        return "NaN" if isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if value == 0 or 1e-3 <= abs(value) < 1e7:
        from decimal import Decimal

        plain = format(Decimal(repr(value)), "f")
        return plain if "." in plain else plain + ".0"
    shortest = next((text for text in (f"{value:.{digits}e}" for digits in range(17)) if float(text) == value), f"{value:.16e}")
    mantissa, _, exponent = shortest.partition("e")
    return f"{mantissa if '.' in mantissa else mantissa + '.0'}E{int(exponent)}"


def read_list(text: str) -> list[str] | None:
    """The elements as texts; None where the text is not a YAML list, or has a null in it."""
    node = _compose(text) if _MAYBE_LIST.match(text) else None
    if node is None or node.id != "sequence":
        return None
    elements = [_print(element) for element in node.value]
    return [element for element in elements if element is not None] if None not in elements else None


def read_map(text: str) -> dict[str, str] | None:
    """The pairs as texts; None where the text is not a YAML map, has a null in it, or a key twice."""
    node = _compose(text) if _MAYBE_MAP.match(text) else None
    if node is None or node.id != "mapping":
        return None
    result: dict[str, str] = {}
    for key_node, value_node in node.value:
        key, value = _print(key_node), _print(value_node)
        if key is None or value is None or key in result:
            return None
        result[key] = value
    return result


def _print_integer(value: int, text: str) -> str:
    return str(value) if value <= LONG_MAX else text


def _compose(text: str) -> Any:
    if len(text) > _LONGEST or text.count("[") + text.count("{") > 50:
        return None
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    try:
        node: Any = YAML(typ="safe", pure=True).compose(text)
    except (YAMLError, ValueError, RecursionError, KeyError, TypeError, AttributeError, IndexError):
        return None
    return node if node is None or _has_known_tags(node) else None


def _has_known_tags(node: Any) -> bool:
    """Flink refuses tags of anyone's own."""
    if not str(node.tag).startswith("tag:yaml.org,2002:"):
        return False
    if node.id == "sequence":
        return all(map(_has_known_tags, node.value))
    return node.id != "mapping" or all(_has_known_tags(key) and _has_known_tags(value) for key, value in node.value)


def _print(node: Any) -> str | None:
    """Like the engine: what stands inside is written as flow YAML."""
    if node.id == "sequence":
        return "[" + ", ".join("null" if part is None else part for part in map(_print, node.value)) + "]"
    if node.id == "mapping":
        return "{" + ", ".join(f"{_print(key)}: {_print(value)}" for key, value in node.value) + "}"
    text = str(node.value)
    return text if node.style else print_plain(text)
