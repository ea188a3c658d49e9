"""Open documents: their text, and positions as editors count them (lines from 0, columns in UTF-8, UTF-16 or UTF-32 units)."""

from __future__ import annotations

from lsprotocol import types

from shoal.model import Span
from shoal.text import Lines

_BOM = "\ufeff"


def units(text: str, encoding: str) -> int:
    """How many code units of an encoding a text has."""
    if encoding == "utf-32" or text.isascii():
        return len(text)
    if encoding == "utf-8":
        return len(text.encode("utf-8", "surrogatepass"))
    return len(text) + sum(char > "\uffff" for char in text)


def characters(text: str, count: int, encoding: str) -> int:
    """How many characters the first `count` code units are; a count inside a character is taken back to its start."""
    if encoding == "utf-32" or text.isascii():
        return min(count, len(text))
    seen = 0
    for index, char in enumerate(text):
        seen += units(char, encoding)
        if seen > count:
            return index
    return len(text)


class Ruler:
    """Offsets of one text as positions and back. Offsets do not count a byte-order mark, positions do."""

    def __init__(self, text: str, encoding: str) -> None:
        self._shift = 1 if text.startswith(_BOM) else 0
        self.text = text
        self._lines = Lines(text)
        self._encoding = encoding

    def position(self, offset: int) -> types.Position:
        offset = min(max(offset, 0) + self._shift, len(self.text))
        line = self._lines.line(offset)
        start = self._lines.start(line)
        return types.Position(line - 1, units(self.text[start:offset], self._encoding))

    def range(self, span: Span) -> types.Range:
        return types.Range(self.position(span.start), self.position(max(span.start, span.end)))

    def offset(self, position: types.Position) -> int:
        """The offset of a position; one past the end of its line or of the text counts as that end."""
        return max(0, self.raw(position) - self._shift)

    def raw(self, position: types.Position) -> int:
        """The same, counting a byte-order mark."""
        if position.line >= len(self._lines):
            return len(self.text)
        span = self._lines.span(position.line + 1)
        return span.start + characters(self.text[span.start : span.end], position.character, self._encoding)

    def span(self, range: types.Range) -> Span:
        start = self.offset(range.start)
        return Span(start, max(start, self.offset(range.end)))

    def line(self, offset: int) -> Span:
        """The span of the line an offset stands in, without its ending."""
        start, end = self._lines.span(self._lines.line(offset + self._shift))
        return Span(start - self._shift, end - self._shift)


class Document:
    """A text that is open in the editor. `path` is absolute; `version` is the editor's."""

    def __init__(self, uri: str, path: str, text: str, version: int, encoding: str) -> None:
        self.uri = uri
        self.path = path
        self.version = version
        self.encoding = encoding
        self.ruler = Ruler(text, encoding)

    @property
    def text(self) -> str:
        """The text as readers see it, without a byte-order mark."""
        return self.ruler.text.removeprefix(_BOM)

    @property
    def data(self) -> bytes:
        """As it would be saved; half a surrogate pair, which cannot be, is a question mark."""
        return self.ruler.text.encode("utf-8", "replace")

    def holds(self, span: Span) -> bool:
        """Whether a span of the file is to be seen in this document: one cell of a notebook does not show the others."""
        return True

    def change(self, changes: list[types.TextDocumentContentChangeEvent], version: int) -> None:
        for change in changes:
            if isinstance(change, types.TextDocumentContentChangePartial):
                text = self.ruler.text
                start = self.ruler.raw(change.range.start)
                changed = text[:start] + change.text + text[max(start, self.ruler.raw(change.range.end)) :]
            else:
                changed = change.text
            self.ruler = Ruler(changed, self.encoding)
        self.version = version
