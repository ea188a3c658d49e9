"""Decoded file text, and texts inside texts, with positions that always point into the outer file."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from itertools import accumulate

from shoal.lazy import pattern
from shoal.model import Span
from shoal.records import NamedTuple

# A private-use character no config contains: template expressions are overwritten with it, so that
# offsets stay true and any value that holds one is known to be unknown.
MASK = "\ue000"


class Decoded(NamedTuple):
    """`text` without its byte-order mark; `bad_at` is the offset of the first undecodable byte, or -1."""

    text: str
    encoding: str
    bom: bool
    bad_at: int


def decode(data: bytes, fallback: str = "utf-8") -> Decoded:
    """Decode bytes as UTF-8 (or UTF-16/32 when a byte-order mark says so), never failing.

    Bytes that do not decode become U+FFFD, one for each byte, unless `fallback` names a single-byte
    encoding the format allows (Java reads `.properties` as ISO-8859-1).
    """
    if data.startswith(b"\xef\xbb\xbf"):
        body = data[3:]
        try:
            return Decoded(body.decode("utf-8"), "utf-8", True, -1)
        except UnicodeDecodeError as error:
            return Decoded(_replace_bad(body), "utf-8", True, error.start)
    for bom, encoding in (
        (b"\xff\xfe\x00\x00", "utf-32-le"),
        (b"\x00\x00\xfe\xff", "utf-32-be"),
        (b"\xff\xfe", "utf-16-le"),
        (b"\xfe\xff", "utf-16-be"),
    ):
        if data.startswith(bom):
            body = data[len(bom) :]
            try:
                return Decoded(body.decode(encoding), encoding, True, -1)
            except UnicodeDecodeError as error:
                return Decoded(body.decode(encoding, "replace"), encoding, True, error.start)
    try:
        return Decoded(data.decode("utf-8"), "utf-8", False, -1)
    except UnicodeDecodeError as error:
        if fallback != "utf-8":
            return Decoded(data.decode(fallback, "replace"), fallback, False, -1)
        return Decoded(_replace_bad(data), "utf-8", False, error.start)


def _replace_bad(data: bytes) -> str:
    return "".join("\ufffd" if "\udc80" <= char <= "\udcff" else char for char in data.decode("utf-8", "surrogateescape"))


def encode(text: str, like: Decoded) -> bytes:
    """The bytes of an edited text, with the encoding and byte-order mark of the file it came from."""
    body = text.encode(like.encoding)
    if not like.bom:
        return body
    mark = {
        "utf-8": b"\xef\xbb\xbf",
        "utf-16-le": b"\xff\xfe",
        "utf-16-be": b"\xfe\xff",
        "utf-32-le": b"\xff\xfe\x00\x00",
        "utf-32-be": b"\x00\x00\xfe\xff",
    }
    return mark[like.encoding] + body


_ENDING = pattern(r"\r\n?|\n")


class Lines:
    """Line and column of an offset. Lines end at LF, CR LF or a lone CR, as editors count them."""

    def __init__(self, text: str) -> None:
        self._text = text
        if "\r" in text:
            self._starts = [0, *(match.end() for match in _ENDING.finditer(text))]
        else:
            self._starts = list(accumulate((len(line) + 1 for line in text.split("\n")), initial=0))
            self._starts.pop()

    def __len__(self) -> int:
        return len(self._starts)

    def line(self, offset: int) -> int:
        """1-based line of an offset; an offset past the end counts as the last line."""
        return bisect_right(self._starts, offset)

    def position(self, offset: int) -> tuple[int, int]:
        """1-based line and column, in characters."""
        line = self.line(offset)
        return line, offset - self._starts[line - 1] + 1

    def start(self, line: int) -> int:
        return self._starts[line - 1]

    def span(self, line: int) -> Span:
        """The span of a 1-based line without its line ending."""
        start = self._starts[line - 1]
        end = self._starts[line] if line < len(self._starts) else len(self._text)
        while end > start and self._text[end - 1] in "\r\n":
            end -= 1
        return Span(start, end)

    def content(self, line: int) -> str:
        span = self.span(line)
        return self._text[span.start : span.end]


class Text:
    """A text and where each character of it stands in the file.

    A ConfigMap's block scalar, a string literal with escapes or a `FLINK_PROPERTIES` entry is a `Text`
    whose `pieces` map inner to outer offsets; inside a piece the two run in step.
    """

    __slots__ = ("_inner", "_outer", "text")

    def __init__(self, text: str, pieces: list[tuple[int, int]] | None = None) -> None:
        """`pieces`: (inner offset, outer offset), ascending by inner offset, the first inner offset being 0."""
        self.text = text
        self._inner = [inner for inner, _ in pieces] if pieces else [0]
        self._outer = [outer for _, outer in pieces] if pieces else [0]

    def at(self, offset: int) -> int:
        """Outer offset of an inner offset."""
        piece = bisect_right(self._inner, offset) - 1
        return self._outer[piece] + offset - self._inner[piece]

    def inside(self, offset: int) -> int | None:
        """Inner offset of an outer one, where the pieces stand in the file's order; None for what is not part of the text.

        What stands between two pieces, or is the rest of an escape, is where the next piece begins.
        """
        piece = bisect_right(self._outer, offset) - 1
        if piece < 0:
            return None
        inner = self._inner[piece] + offset - self._outer[piece]
        end = self._inner[piece + 1] if piece + 1 < len(self._inner) else len(self.text)
        if inner > end:
            return None if piece + 1 == len(self._inner) else end
        return inner

    def span(self, start: int, end: int) -> Span:
        """Outer span of the inner range; empty ranges stay empty."""
        if end <= start:
            at = self.at(start)
            return Span(at, at)
        return Span(self.at(start), self.at(end - 1) + 1)

    def slice(self, start: int, end: int) -> Text:
        """The part [start, end) as a text of its own, still pointing into the same file."""
        first = bisect_right(self._inner, start) - 1
        pieces = [(0, self.at(start))]
        last = bisect_left(self._inner, end, first + 1)
        pieces += [(self._inner[index] - start, self._outer[index]) for index in range(first + 1, last)]
        return Text(self.text[start:end], pieces)

    def compose(self, parts: list[tuple[str, int]]) -> Text:
        """A text put together from parts of this one: (characters, offset here of the first of them).

        A part that differs from what stands here (an unescaped character) is placed at its offset.
        """
        whole = "".join(part for part, _ in parts)
        pieces: list[tuple[int, int]] = []
        at = 0
        for part, offset in parts:
            if not part:
                continue
            pieces.append((at, self.at(offset)))
            if len(self._inner) > 1 and len(part) > 1:
                first = bisect_right(self._inner, offset)
                for index in range(first, bisect_left(self._inner, offset + len(part))):
                    pieces.append((at + self._inner[index] - offset, self._outer[index]))
            at += len(part)
        if not pieces:
            pieces = [(0, self.at(parts[0][1] if parts else 0))]
        return Text(whole, pieces)

    def lines(self) -> list[tuple[int, int]]:
        """(start, end) of every line, without line endings (LF or CR LF)."""
        result = []
        start = 0
        text = self.text
        while True:
            at = text.find("\n", start)
            if at == -1:
                if start < len(text):
                    result.append((start, len(text)))
                return result
            result.append((start, at - 1 if at > start and text[at - 1] == "\r" else at))
            start = at + 1
