"""The folders as a treemap: laid out here, drawn as SVG by the template, so that the page needs no charting script."""

from __future__ import annotations

from shoal.records import NamedTuple
from shoal.report.html.summary import Count

MOST = 60  # rectangles; the smallest folders beyond them stand only in the list
_LETTER = 6.6  # width of a character at the size of the labels


class Tile(NamedTuple):
    """A folder's rectangle, in the units of the drawing; `label` is empty where none fits."""

    x: float
    y: float
    width: float
    height: float
    folder: Count
    label: str
    second: str


def treemap(folders: tuple[Count, ...], common: str, size: tuple[int, int]) -> tuple[Tile, ...]:
    """One tile a folder, its area in proportion to its findings; at most MOST, the largest. Labels leave out `common`."""
    from squarify import normalize_sizes, squarify

    width, height = size
    largest = sorted(folders, key=lambda count: (-count.total, count.name))[:MOST]
    if not largest:
        return ()
    areas = squarify(normalize_sizes([count.total for count in largest], width, height), 0, 0, width, height)
    return tuple(_tile(area, count, count.name.removeprefix(common) or count.name) for area, count in zip(areas, largest, strict=True))


def _tile(area: dict[str, float], count: Count, name: str) -> Tile:
    x, y = round(area["x"] + 1, 1), round(area["y"] + 1, 1)
    width, height = round(max(1, area["dx"] - 2), 1), round(max(1, area["dy"] - 2), 1)
    letters = int((width - 12) / _LETTER)
    label = name if len(name) <= letters else "…" + name[1 - letters :] if letters >= 6 else ""
    return Tile(x, y, width, height, count, label if height >= 22 else "", f"{count.total:,}" if height >= 40 and letters >= 6 else "")
