"""Offsets as positions and back, in every encoding and for every end of a line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types

from shoal.server.edits import between
from shoal.server.positions import Document, Ruler

TEXT = st.text(st.sampled_from("aé€😀\u2028\x0b \t\n\r"), max_size=40)
ENCODINGS = ("utf-8", "utf-16", "utf-32")


@given(TEXT, st.sampled_from(ENCODINGS), st.booleans())
def test_there_and_back(text: str, encoding: str, marked: bool) -> None:
    ruler = Ruler("\ufeff" + text if marked else text, encoding)
    for offset in range(len(text) + 1):
        position = ruler.position(offset)
        inside_ending = text[offset - 1 : offset + 1] == "\r\n"
        assert ruler.offset(position) == offset - inside_ending


@pytest.mark.parametrize("encoding, character", [("utf-8", 7), ("utf-16", 4), ("utf-32", 3)])
def test_columns(encoding: str, character: int) -> None:
    ruler = Ruler("x\r\né😀a|\r\u2028", encoding)
    assert ruler.position(6) == types.Position(1, character)
    assert ruler.offset(types.Position(1, 99)) == 7 and ruler.offset(types.Position(99, 0)) == 9
    assert ruler.position(8) == types.Position(2, 0)


@given(TEXT, TEXT, st.integers(0, 40), st.integers(0, 40), st.sampled_from(ENCODINGS))
def test_an_edit_changes_what_stands_there(text: str, new: str, one: int, other: int, encoding: str) -> None:
    start, end = sorted((min(one, len(text)), min(other, len(text))))
    if any(text[at - 1 : at + 1] == "\r\n" for at in (start, end)):
        return  # no editor cuts a line's ending in two
    document = Document("file:///x", "/x", text, 1, encoding)
    place = types.Range(document.ruler.position(start), document.ruler.position(end))
    document.change([types.TextDocumentContentChangePartial(place, new)], 2)
    assert document.text == text[:start] + new + text[end:] and document.version == 2


@given(TEXT, TEXT)
def test_edits_between_two_texts_make_one_of_the_other(before: str, after: str) -> None:
    text = before
    for edit in sorted(between("x", before, after), key=lambda edit: edit.span, reverse=True):
        text = text[: edit.span.start] + edit.new_text + text[edit.span.end :]
    assert text == after
