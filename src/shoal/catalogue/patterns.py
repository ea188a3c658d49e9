"""Keys with placeholders, in tables and in families."""

from __future__ import annotations

from shoal.records import NamedTuple


class Pattern(NamedTuple):
    """A key with placeholders: <name> stands for one segment, a last <rest> or * for anything not empty."""

    key: str
    literal: str
    segments: tuple[str, ...]
    open_end: bool

    def matches(self, key: str) -> bool:
        if not key.startswith(self.literal):
            return False
        parts = key.split(".")
        if len(parts) < len(self.segments) or (len(parts) > len(self.segments) and not self.open_end):
            return False
        return all(
            part and (part == segment or segment == "*" or _fits(segment, part))
            for segment, part in zip(self.segments, parts, strict=False)
        )


def _fits(segment: str, part: str) -> bool:
    start = segment.find("<")
    if start < 0:
        return segment.endswith("*") and part.startswith(segment[:-1])
    return part.startswith(segment[:start]) and part.endswith(segment[segment.find(">") + 1 :])


def pattern(key: str) -> Pattern:
    """A key as the tables write it, with its placeholders understood."""
    cut = min((place for place in (key.find("<"), key.find("*")) if place >= 0), default=len(key))
    return Pattern(key, key[:cut], tuple(key.split(".")), key.endswith((">", "*")))
