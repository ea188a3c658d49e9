"""Notebooks that an editor shows cell by cell: put together as the file they are saved as, and positions taken back into the cells."""

from __future__ import annotations

import json
from bisect import bisect_left, bisect_right
from collections.abc import Iterable

import attrs
from lsprotocol import types

from shoal.model import Edit, Span
from shoal.records import NamedTuple
from shoal.server.edits import between
from shoal.server.positions import Document, Ruler

_FAR = 1 << 20  # lines that one cell may have: line numbers carry the number of the cell


class Cell(NamedTuple):
    """A cell as the editor knows it. `code`: it is Python, magics included."""

    uri: str
    code: bool
    text: str


def quoted(text: str) -> str:
    """A text as it stands between the quotes of a JSON string."""
    return json.dumps(text, ensure_ascii=False)[1:-1]


def plain(text: str) -> str:
    """The inverse; a text that stands in no JSON string stays as it is."""
    try:
        found = json.loads(f'"{text}"')
    except ValueError:
        return text
    return found if isinstance(found, str) else text


def _file(cells: list[Cell]) -> tuple[str, list[list[int]]]:
    """The file, a line of it for each line of a cell, and by cell where each of its characters stands, and its end."""
    parts: list[str] = []
    size = 0

    def put(piece: str) -> None:
        nonlocal size
        parts.append(piece)
        size += len(piece)

    put('{"cells": [')
    places: list[list[int]] = []
    for number, cell in enumerate(cells):
        put(f'{"," if number else ""}\n{{"cell_type": "{"code" if cell.code else "markdown"}", "source": [\n"')
        offsets = []
        for char in cell.text:
            offsets.append(size)
            put(quoted(char) if char != "\n" else '\\n",\n"')
        places.append([*offsets, size])
        put('"]}')
    put('\n], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}\n')
    return "".join(parts), places


class _FarRuler(Ruler):
    """Offsets in the file as positions whose line also says which cell is meant."""

    def __init__(self, text: str, encoding: str, cells: list[Ruler], places: list[list[int]]) -> None:
        super().__init__(text, encoding)
        self._cells = cells
        self._places = places
        self._starts = [offsets[0] for offsets in places]

    def _cell(self, offset: int) -> int:
        return max(0, bisect_right(self._starts, offset) - 1)

    def position(self, offset: int) -> types.Position:
        if not self._cells:
            return types.Position(0, 0)
        number = self._cell(offset)
        found = self._cells[number].position(max(0, bisect_right(self._places[number], offset) - 1))
        return types.Position(number * _FAR + found.line, found.character)

    def line(self, offset: int) -> Span:
        """The span of a cell's line; for an offset in front of it in the file, that line's."""
        if not self._cells:
            return Span(offset, offset)
        number = self._cell(offset + 1)  # a line of the file begins with the quote
        offsets = self._places[number]
        start, end = self._cells[number].line(min(bisect_left(offsets, offset), len(offsets) - 1))
        return Span(offsets[start], offsets[end])


class _CellRuler(Ruler):
    """Offsets in the file as positions in one cell, and back; what is outside counts as its start or end."""

    def __init__(self, text: str, cell: Ruler, offsets: list[int]) -> None:
        self.text = text
        self._cell = cell
        self._offsets = offsets

    def position(self, offset: int) -> types.Position:
        return self._cell.position(max(0, bisect_right(self._offsets, offset) - 1))

    def offset(self, position: types.Position) -> int:
        return self._offsets[self._cell.offset(position)]

    def line(self, offset: int) -> Span:
        start, end = self._cell.line(max(0, bisect_right(self._offsets, offset) - 1))
        return Span(self._offsets[start], self._offsets[end])


class Notebook(Document):
    """An open notebook; its text is that of the file."""

    def __init__(self, uri: str, path: str, cells: Iterable[Cell], version: int, encoding: str) -> None:
        self.cells = list(cells)
        text, self._places = _file(self.cells)
        super().__init__(uri, path, text, version, encoding)
        self._rulers = [Ruler(cell.text, encoding) for cell in self.cells]
        self.ruler = _FarRuler(text, encoding, self._rulers, self._places)

    def cell(self, uri: str) -> CellView | None:
        """One cell, to be asked about."""
        number = next((number for number, cell in enumerate(self.cells) if cell.uri == uri), None)
        if number is None:
            return None
        return CellView(self, uri, _CellRuler(self.text, self._rulers[number], self._places[number]), self._places[number])

    def split(self, found: list[types.Diagnostic]) -> dict[str, list[types.Diagnostic]]:
        """The diagnostics of each cell, by its address; every cell is there."""
        made: dict[str, list[types.Diagnostic]] = {cell.uri: [] for cell in self.cells}
        for one in found:
            uri, own = self.inside(one.range)
            if uri in made:
                made[uri].append(attrs.evolve(one, range=own))
        return made

    def inside(self, far: types.Range) -> tuple[str, types.Range]:
        """The address of the cell that a range is in, and the range there."""
        number = far.start.line // _FAR
        if number >= len(self.cells):
            return "", far
        start = types.Position(far.start.line % _FAR, far.start.character)
        same = far.end.line // _FAR == number
        return self.cells[number].uri, types.Range(start, types.Position(far.end.line % _FAR, far.end.character) if same else start)

    def label(self, far: types.Position) -> str:
        """A position in words."""
        return f"cell {far.line // _FAR + 1}, line {far.line % _FAR + 1}"

    def changes(self, path: str, after: str) -> list[Edit]:
        """The edits that make the file `after` of this one, each within a cell; none when cells came or went."""
        found = json.loads(after)["cells"]
        if len(found) != len(self.cells):
            return []
        made = []
        for cell, offsets, new in zip(self.cells, self._places, found, strict=True):
            source = new["source"] if isinstance(new["source"], str) else "".join(new["source"])
            for edit in between(path, cell.text, source):
                span = Span(offsets[edit.span.start], offsets[edit.span.end])
                made.append(Edit(path, span, quoted(edit.new_text)))
        return made


class CellView(Document):
    """One cell of a notebook: positions are the cell's; text, data and offsets are those of the whole file."""

    def __init__(self, book: Notebook, uri: str, ruler: Ruler, offsets: list[int]) -> None:
        self.uri = uri
        self.path = book.path
        self.version = book.version
        self.encoding = book.encoding
        self.ruler = ruler
        self.book = book
        self._offsets = offsets

    def holds(self, span: Span) -> bool:
        return self._offsets[0] <= span.start and span.end <= self._offsets[-1]
