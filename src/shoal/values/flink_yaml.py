"""A list or map option of Flink 1.19+ whose text is YAML. Kept apart: the YAML library is loaded only for such a text."""

from __future__ import annotations

import re

_MAYBE_LIST = re.compile(r"\s*(?:\[|-(?:\s|$)|[#!&%]|---)")
_MAYBE_MAP = re.compile(r"\s*(?:\{|[#!&%?]|---)|[^\n]*?:(?:\s|$)", re.DOTALL)


def read_list(text: str) -> list[str] | None:
    """The elements as texts; None where the text is not a YAML list."""
    value = _load(text) if _MAYBE_LIST.match(text) else None
    return [_print(element) for element in value] if isinstance(value, list) else None


def read_map(text: str) -> dict[str, str] | None:
    """The pairs as texts; None where the text is not a YAML map."""
    value = _load(text) if _MAYBE_MAP.match(text) else None
    return {_print(key): _print(element) for key, element in value.items()} if isinstance(value, dict) else None


def _load(text: str) -> object:
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    if len(text) > 100_000 or "*" in text:
        return None
    try:
        return YAML(typ="safe", pure=True).load(text)
    except (YAMLError, ValueError, RecursionError, KeyError, TypeError):
        return None


def _print(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return "null" if value is None else str(value)
