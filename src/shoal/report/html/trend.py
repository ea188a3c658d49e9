"""Earlier runs as a bar chart: laid out here, drawn as SVG by the template."""

from __future__ import annotations

from shoal.records import NamedTuple
from shoal.report import Past

MOST = 60  # bars: the last runs
_TOP, _BOTTOM = 18, 24  # room for the scale above and the dates below


class Bar(NamedTuple):
    """A run: `parts` are (severity, y, height), from below: errors, warnings, notes."""

    past: Past
    x: float
    width: float
    parts: tuple[tuple[str, float, float], ...]


class Trend(NamedTuple):
    """`bars` in the units of a drawing of `width` by `height`; `highest` is the number of findings that the full height means."""

    bars: tuple[Bar, ...]
    width: int
    height: int
    highest: int
    floor: int


def trend(history: tuple[Past, ...], width: int = 1000, height: int = 180) -> Trend | None:
    """None for fewer than two runs."""
    shown = history[-MOST:]
    if len(shown) < 2:
        return None
    highest = max(1, *(past.errors + past.warnings + past.notes for past in shown))
    floor = height - _BOTTOM
    room = floor - _TOP
    step = width / len(shown)
    bars = []
    for number, past in enumerate(shown):
        at = float(floor)
        parts = []
        for severity, count in (("error", past.errors), ("warning", past.warnings), ("info", past.notes)):
            tall = room * count / highest
            at -= tall
            if count:
                parts.append((severity, round(at, 1), round(tall, 1)))
        bars.append(Bar(past, round(number * step + step * 0.1, 1), round(min(step * 0.8, 60.0), 1), tuple(parts)))
    return Trend(tuple(bars), width, height, highest, floor)
