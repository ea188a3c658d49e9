"""Path patterns of the settings, written as in a .gitignore: `tests/`, `*.tmpl.yaml`, `conf/**/dev-*.yaml`."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache


@lru_cache(maxsize=256)
def matcher(patterns: tuple[str, ...]) -> Callable[[str], bool]:
    """Whether a root-relative path is what one of the patterns names, or stands below it.

    A pattern without a slash (but at its end) matches at any depth; any other one counts from the root.
    """
    if not patterns:
        return lambda path: False
    names = frozenset(pattern.rstrip("/") for pattern in patterns)
    if "" not in names and not any(char in name for name in names for char in "/?[ ") and all(name.count("*") <= 1 for name in names):
        return _by_component(names)  # needs no regular expression, which takes a millisecond to compile
    search = re.compile("|".join(f"(?:{translate(pattern)})" for pattern in patterns), re.DOTALL).match
    return lambda path: search(path) is not None


def _by_component(names: frozenset[str]) -> Callable[[str], bool]:
    plain = frozenset(name for name in names if "*" not in name and name != ".")
    ends = [(start, end, len(start) + len(end)) for start, star, end in (name.partition("*") for name in names) if star]
    everything = "." in names

    def matches(path: str) -> bool:
        pieces = path.split("/")
        return (
            everything
            or not plain.isdisjoint(pieces)
            or any(
                len(piece) >= least and piece.startswith(start) and piece.endswith(end) for start, end, least in ends for piece in pieces
            )
        )

    return matches


def translate(pattern: str) -> str:
    """The regular expression of one pattern, to be matched from the start of a path."""
    body = pattern.strip().rstrip("/")
    body = body[2:] if body.startswith("./") else body
    anchored = "/" in body
    body = body.lstrip("/")
    if not body or body == ".":
        return ""
    parts = [] if anchored else ["(?:.*/)?"]
    pieces = body.split("/")
    for index, piece in enumerate(pieces):
        last = index == len(pieces) - 1
        if piece == "**":
            parts.append(".*" if last else "(?:.*/)?")
        else:
            parts.append(component(piece) + ("" if last else "/"))
    return "".join(parts) + r"(?:/|\Z)"


def component(piece: str) -> str:
    """The regular expression of one path component: `*`, `?` and `[...]` stay within it."""
    parts = []
    at = 0
    while at < len(piece):
        char = piece[at]
        at += 1
        if char == "*":
            while at < len(piece) and piece[at] == "*":  # runs of stars would backtrack
                at += 1
            parts.append("[^/]*")
        elif char == "?":
            parts.append("[^/]")
        elif char == "[" and (end := piece.find("]", at + 1)) != -1:
            inside = piece[at:end].replace("\\", "\\\\").replace("[", "\\[")
            inside = "^/" + inside[1:] if inside[0] in "!^" else inside
            parts.append(f"[{inside}]" if _compiles(f"[{inside}]") else re.escape(piece[at - 1 : end + 1]))
            at = end + 1
        else:
            parts.append(re.escape(char))
    return "".join(parts)


def _compiles(text: str) -> bool:
    try:
        re.compile(text)
    except re.error:
        return False
    return True


def literal_start(pattern: str) -> str:
    """The folders a pattern names before its first wildcard: `vendor/conf/*.yaml` gives `vendor/conf`."""
    body = pattern.strip().removeprefix("./").lstrip("/").rstrip("/")
    pieces = []
    for piece in body.split("/"):
        if any(char in piece for char in "*?["):
            break
        pieces.append(piece)
    return "/".join(pieces)
