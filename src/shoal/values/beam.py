"""What Beam makes of a pipeline option: argparse in the Python SDK, Jackson in the Java SDK.

Checked against CPython's argparse as apache_beam.options.pipeline_options uses it, and PipelineOptionsFactory of Beam 2.64.
"""

from __future__ import annotations

import re

from shoal.values import Bad, Value, shorten
from shoal.values.java import INT_BITS, LONG_BITS, parse_double, parse_integer, trim


def parse_python(type_name: str, text: str | None) -> Value | Bad:
    """An option of the Python SDK: "int", "float", "boolean", or anything else for a string.

    text: what follows `=` or the next argument; None for an option without a value.
    """
    if type_name == "boolean":
        return parse_python_flag(text)
    if text is None:
        return Bad("a value is missing", None)
    if type_name in ("int", "long"):
        return parse_python_int(text)
    if type_name in ("float", "double"):
        return parse_python_float(text)
    return text


def parse_python_flag(text: str | None) -> bool | Bad:
    """A flag is set by its name alone: `--flag=true` ends the program, and in `--flag false` the `false` is ignored."""
    if text is None:
        return True
    return Bad("a flag takes no value: its name alone switches it on", None)


def parse_python_int(text: str) -> int | Bad:
    """Python's `int()`: blanks around, a sign, Unicode digits, single underscores between digits."""
    try:
        return int(text)
    except ValueError:
        whole = re.fullmatch(r"\s*([+-]?[0-9]+)\.0*\s*", text)
        why = "not a whole number" if text.strip() else "empty, where a whole number is needed"
        return Bad(why, whole[1] if whole else None)


def parse_python_float(text: str) -> float | Bad:
    """Python's `float()`."""
    try:
        return float(text)
    except ValueError:
        return Bad("not a number" if text.strip() else "empty, where a number is needed", None)


def parse_java(type_name: str, text: str | None) -> Value | Bad | None:
    """An option of the Java SDK: "int", "long", "double", "boolean", or anything else for a string.

    text: what follows `=`; None for `--option` alone, which stands for `true`. Blanks or `null` leave the option unset: None.
    """
    given = "true" if text is None else text
    if type_name not in ("int", "long", "double", "boolean"):
        return given
    if not given:
        return Bad("an empty value is taken by strings only", None)
    trimmed = trim(given)
    if trimmed in ("", "null"):
        return None
    if type_name == "boolean":
        return parse_java_boolean(given)
    if type_name == "double":
        return _parse_java_double(trimmed)
    return parse_integer(trimmed, INT_BITS if type_name == "int" else LONG_BITS)


def parse_java_boolean(text: str) -> bool | Bad:
    """`true`, `True`, `TRUE` and the like for false, blanks around them cut; no other spelling."""
    trimmed = trim(text)
    if trimmed in ("true", "True", "TRUE"):
        return True
    if trimmed in ("false", "False", "FALSE"):
        return False
    from shoal.values.loose import read_boolean

    meant = read_boolean(text)
    return Bad(f"`{shorten(trimmed)}` is not a boolean", None if meant is None else str(meant).lower())


def _parse_java_double(text: str) -> float | Bad:
    named = {"INF": "Infinity", "-INF": "-Infinity"}.get(text, text)
    return parse_double(named)
