"""f-strings as Python 3.12 takes them, with their own quotes, backslashes and lines inside of braces (PEP 701), put so that older Pythons parse them.

Nothing is read out of what is made here but where statements stand, so all of an f-string becomes a text of the same length and lines.
"""

from __future__ import annotations

import re

from shoal.lazy import pattern

# What may hold a quote that begins no string, and where strings begin.
_STRING = r"(?:\b(?i:[rbuft]|[ft]r|r[ft]|br|rb))?(?:\"\"\"|'''|\"|')"
_NEXT = pattern(rf"#[^\n]*|{_STRING}")
_PLAIN = {quote: re.compile(rf"(?:[^\\]|\\.)*?{quote}", re.DOTALL) for quote in ('"""', "'''", '"', "'")}
_IN_FIELD = pattern(rf"[\[\](){{}}:]|#[^\n]*|{_STRING}")
_OPERATOR = pattern(r"[-+*/%&|^~<>=,.]|\b(?:and|or|not|if|is|in|await|lambda)\b")
# What stands in braces is not measured by CPython's parser, and must not be too much for LibCST (`guard`).
_BRACKETS, _NESTED, _OPERATORS = 40, 4, 100


class _Unread(Exception):
    """No end, or more than a text should hold."""


def as_texts(source: str) -> str:
    """The source with a text of the same length in place of each f-string; unchanged where an f-string cannot be followed."""
    made: list[str] = []
    at = 0
    try:
        while found := _NEXT.search(source, at):
            made.append(source[at : found.start()])
            at = found.end()
            if found.group().startswith("#"):
                made.append(found.group())
                continue
            prefix, quote = _split(found.group())
            end = _end(source, at, prefix, quote, 0)
            literal = source[found.start() : end]
            made.append(_plain(literal, prefix, quote) if _is_field_string(prefix) else literal)
            at = end
    except _Unread:
        return source
    return "".join(made) + source[at:]


def _split(opening: str) -> tuple[str, str]:
    quote = opening.lstrip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
    return opening[: len(opening) - len(quote)], quote


def _end(source: str, at: int, prefix: str, quote: str, level: int) -> int:
    """Where a string ends whose text begins at `at`."""
    if not _is_field_string(prefix):
        found = _PLAIN[quote].match(source, at)
        if found is None or (len(quote) == 1 and re.search(r"(?<!\\)\n", found.group())):
            raise _Unread
        return found.end()
    if level > _NESTED:
        raise _Unread
    while at < len(source):
        if source.startswith(quote, at):
            return at + len(quote)
        if source[at] == "\\" or source.startswith(("{{", "}}"), at):
            at += 2
        elif source[at] == "{":
            at = _field(source, at + 1, quote, level)
        elif source[at] == "\n" and len(quote) == 1:
            raise _Unread
        else:
            at += 1
    raise _Unread


def _field(source: str, at: int, quote: str, level: int) -> int:
    """Where a replacement field ends whose expression begins at `at`: behind its brace."""
    begin, depth = at, 0
    while found := _IN_FIELD.search(source, at):
        at, what = found.end(), found.group()
        if what in "([{":
            depth += 1
            if depth > _BRACKETS:
                raise _Unread
        elif what in ")]" or (what == "}" and depth):
            depth -= 1
        elif what == "}":
            if len(_OPERATOR.findall(source, begin, at)) > _OPERATORS:
                raise _Unread
            return at
        elif what == ":" and not depth:
            return _format(source, at, quote, level)
        elif what[0] != "#" and what[-1] in "\"'":
            at = _end(source, at, *_split(what), level + 1)
    raise _Unread


def _format(source: str, at: int, quote: str, level: int) -> int:
    """Where a format ends, which may hold fields of its own: behind the brace of the field around it."""
    if level > _NESTED:
        raise _Unread
    while at < len(source):
        if source[at] == "}":
            return at + 1
        if source[at] == "{":
            at = _field(source, at + 1, quote, level + 1)
        elif source.startswith(quote, at):
            raise _Unread
        else:
            at += 1
    raise _Unread


def _is_field_string(prefix: str) -> bool:
    return bool(set(prefix.lower()) & {"f", "t"})


def _plain(literal: str, prefix: str, quote: str) -> str:
    """One without fields, of the same length, lines and characters that take more than one byte."""
    inner = "".join("x" if char.isascii() and char != "\n" else char for char in literal[len(prefix) + len(quote) : -len(quote)])
    if len(quote) == 1:
        inner = re.sub(r"x\n", "\\\\\n", inner)  # a line within one pair of quotes goes on behind a backslash
    return prefix + quote + inner + quote
