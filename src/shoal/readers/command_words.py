"""A command's words, and settings made of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.facts import Unknown
from shoal.lazy import pattern
from shoal.model import Span
from shoal.records import NamedTuple
from shoal.text import MASK, Text

if TYPE_CHECKING:
    from shoal.facts import Block, Value
    from shoal.readers import Reading

_HIDDEN = pattern(r"[\"']?\$[{(]?[\w@*]+(?:\[[@*]\])?[)}]?|\ue000+")


class Word(NamedTuple):
    """A word as the command gets it, and where it stands. `sure` is `default` when a variable of the script was filled in."""

    value: str
    text: Text
    sure: str = "sure"

    def part(self, start: int, end: int | None = None) -> Word:
        end = len(self.value) if end is None else end
        if self.value == self.text.text:
            return Word(self.value[start:end], self.text.slice(start, end), self.sure)
        # a variable was filled in: what stands before it is the same in both
        at = start if self.value[:start] == self.text.text[:start] else 0
        return Word(self.value[start:end], self.text.slice(at, len(self.text.text)), self.sure)

    @property
    def span(self) -> Span:
        return self.text.span(0, len(self.text.text))


def hides_options(words: list[Word]) -> bool:
    """Some word is nothing but a variable or a command's output: it may hold any option."""
    return any(_HIDDEN.fullmatch(word.value) for word in words)


def add_setting(out: Reading, block: Block, key: Word, value: Word, flag: bool = False) -> None:
    """Add a setting; a flag has no value of its own and counts as `true`."""
    key_span = key.text.span(0, len(key.text.text))
    if flag:
        at = key.text.at(len(key.text.text) - 1) + 1 if key.text.text else key_span.end
        out.setting(block, key.value, "true", key_span, Span(at, at))
        return
    shown: str | Value = value.value
    if MASK in value.value:
        shown = Unknown(out.raw[value.text.at(0) : value.text.at(0) + len(value.value)])
    sure = "default" if value.sure == "default" and isinstance(shown, str) else ""
    out.setting(block, key.value, shown, key_span, value.text.span(0, len(value.text.text)), sure=sure)


def add_pair(out: Reading, block: Block, word: Word) -> str:
    """Add `k=v` (or a bare `k`, which counts as true); the key."""
    cut = word.value.find("=")
    if cut == -1:
        add_setting(out, block, word, word, flag=True)
        return word.value
    key = word.part(0, cut)
    if "$" in key.value or not key.value:
        return ""
    if word.value != word.text.text:  # filled in: key and value stand in one written word
        written = word.text.text.find("=")
        if written > 0:
            value = Word(word.value[cut + 1 :], word.text.slice(written + 1, len(word.text.text)), word.sure)
            add_setting(out, block, Word(key.value, word.text.slice(0, written)), value)
            return key.value
    add_setting(out, block, key, word.part(cut + 1))
    return key.value
