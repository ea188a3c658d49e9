"""Where a place in a notebook is as its author sees it: in which cell, and on which of its lines."""

from __future__ import annotations

from bisect import bisect_right

from shoal.records import NamedTuple
from shoal.text import Lines, Text

HEADER = "# Databricks notebook source"
BORDER = "# COMMAND ----------"
_ABOVE = ("# DBTITLE ", HEADER)  # what stands above a cell's own lines


class InCell(NamedTuple):
    """`number` counts all cells from 1; `line` and `column` are 1-based, in the cell; `content` is that line."""

    number: int
    line: int
    column: int
    content: str

    @property
    def words(self) -> str:
        return f"cell {self.number}, line {self.line}"


class Cells:
    """The cells of one notebook: an `.ipynb`, or a Python source that Databricks reads as one."""

    def __init__(self, path: str, text: str) -> None:
        if path.endswith(".ipynb"):
            from shoal.python.notebook import sources

            found = list(sources(Text(text)))
        else:
            found = list(_commands(text)) if text.startswith(HEADER) else []
        self._cells = [(number, source) for number, source in found if source.text]
        self._starts = [source.at(0) for _, source in self._cells]
        self._lines: dict[int, Lines] = {}

    def at(self, offset: int) -> InCell | None:
        """Where an offset of the file is; None for what stands in no cell."""
        index = bisect_right(self._starts, offset) - 1
        if index < 0:
            return None
        number, source = self._cells[index]
        inner = source.inside(offset)
        if inner is None:
            return None
        if index not in self._lines:
            self._lines[index] = Lines(source.text)
        lines = self._lines[index]
        line, column = lines.position(inner)
        return InCell(number, line, column, lines.content(line))


def _commands(text: str) -> list[tuple[int, Text]]:
    """The cells of a Databricks source. Blank lines, the header and titles before a cell's own lines do not count."""
    whole = Text(text)
    found: list[tuple[int, Text]] = []
    lines = Lines(text)
    number, first, start = 1, 0, 0
    for line in range(1, len(lines) + 1):
        content = lines.content(line)
        if content.startswith(BORDER):
            if first:
                found.append((number, whole.slice(start, lines.start(line))))
            number, first = number + 1, 0
        elif not first and content.strip() and not content.startswith(_ABOVE):
            first, start = line, lines.start(line)
    if first:
        found.append((number, whole.slice(start, len(text))))
    return found
