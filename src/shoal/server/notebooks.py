"""Notebooks that an editor shows cell by cell: put together as the file they are saved as, and positions taken back into the cells."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Iterable
from typing import NamedTuple

import attrs
from lsprotocol import types

from shoal.model import Span
from shoal.server.positions import Document, Ruler

_FAR = 1 << 20  # lines that one cell may have: line numbers carry the number of the cell


class Cell(NamedTuple):
    """A cell as the editor knows it. `code`: it is Python, magics included."""

    uri: str
    code: bool
    text: str


class _CellRuler(Ruler):
    """Offsets in the file as positions whose line also says which cell is meant."""

    def __init__(self, text: str, encoding: str, cells: list[Cell], starts: list[int], steps: list[list[int]]) -> None:
        super().__init__(text, encoding)
        self._cells = [Ruler(cell.text, encoding) for cell in cells]
        self._starts = starts
        self._steps = steps

    def position(self, offset: int) -> types.Position:
        number = max(0, bisect_right(self._starts, offset) - 1)
        if not self._cells:
            return types.Position(0, 0)
        inner = bisect_right(self._steps[number], offset - self._starts[number]) - 1
        found = self._cells[number].position(max(0, inner))
        return types.Position(number * _FAR + found.line, found.character)

    def line(self, offset: int) -> Span:
        return Span(offset, offset)


class Notebook(Document):
    """An open notebook; its text is that of the file."""

    def __init__(self, uri: str, path: str, cells: Iterable[Cell], version: int, encoding: str) -> None:
        self.cells = list(cells)
        parts = ['{"cells": [']
        starts: list[int] = []
        steps: list[list[int]] = []
        size = len(parts[0])
        for number, cell in enumerate(self.cells):
            head = ("," if number else "") + f'{{"cell_type": "{"code" if cell.code else "markdown"}", "source": "'
            escaped = [json.dumps(char, ensure_ascii=False)[1:-1] for char in cell.text]
            starts.append(size + len(head))
            step = [0]
            for piece in escaped:
                step.append(step[-1] + len(piece))
            steps.append(step)
            parts += [head, *escaped, '"}']
            size += len(head) + step[-1] + 2
        text = "".join([*parts, '], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}\n'])
        super().__init__(uri, path, text, version, encoding)
        self.ruler = _CellRuler(text, encoding, self.cells, starts, steps)

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
