"""SQL as tokens, and the small shapes that statements are made of: quoted names, dotted paths, option lists.

The lexer is our own: sqlparse takes a backslash before a quote for an escape, which is not so in Flink's or Spark's SQL
(`'C:\\'` is a whole string), and costs 20 ms to import.
"""

from __future__ import annotations

import re

from shoal.lazy import pattern
from shoal.records import NamedTuple
from shoal.text import MASK

_TOKEN = pattern(
    rf"""[\s\x00]*(?:
      (?P<word>[^\W\d][\w{MASK}$]*|{MASK}[\w{MASK}$]*)
    | (?P<string>'[^']*(?:''[^']*)*'?)
    | (?P<name>`[^`]*(?:``[^`]*)*`?|"[^"]*(?:""[^"]*)*"?)
    | (?P<line>(?:--|(?<![^\s;,()])//)[^\r\n]*|^%flink[\w.]*(?:\([^)\r\n]*\))?[ \t]*$)
    | (?P<block>/\*)
    | (?P<hash>\#(?![{{@{MASK}]|(?:if|else|elseif|end|set|foreach|macro|parse|include)\b))
    | (?P<number>\d[\w.]*)
    | (?P<mark>[^\s\x00])
    )""",
    re.VERBOSE | re.MULTILINE,
)

_LINE_END = pattern(r"[\r\n]|\Z")


class Token(NamedTuple):
    """`upper` is a word in upper case, of anything else its text."""

    kind: str
    start: int
    end: int
    upper: str


class Option(NamedTuple):
    """A key and value with their spans in the text read; `quoted` says that the key is a string literal."""

    key: str
    value: str
    key_at: tuple[int, int]
    value_at: tuple[int, int]
    quoted: bool


def lex(source: str, hashes: list[tuple[int, int]] | None = None) -> list[Token]:
    """Tokens without white space, comments and the interpreter's name of a Zeppelin paragraph; a hint (`/*+ … */`) is one token. Never fails; linear in the text's length.

    A line that begins with `#` is a comment to MySQL and to whoever wrote it here; Flink refuses it. `hashes` takes where these are.
    """
    tokens: list[Token] = []
    at = 0
    match = _TOKEN.match
    while True:
        found = match(source, at)
        if found is None:
            return tokens
        kind = found.lastgroup or ""
        before, start, at = at, found.start(kind), found.end()
        if kind == "line":
            continue
        if kind == "hash":
            if before and "\n" not in source[before:start]:
                tokens.append(Token("mark", start, at, "#"))  # no comment to anybody
                continue
            at = _LINE_END.search(source, at).start()  # type: ignore[union-attr]
            if hashes is not None:
                hashes.append((start, at))
            continue
        if kind == "block":
            close = source.find("*/", at)
            at = len(source) if close == -1 else close + 2
            if source[start + 2 : start + 3] == "+":
                tokens.append(Token("hint", start, at, ""))
            continue
        upper = source[start:at]
        tokens.append(Token(kind, start, at, upper.upper() if kind == "word" else upper))


def unquote(token: Token, source: str) -> tuple[str, tuple[int, int]]:
    """A string's or name's content and where it stands, inside the quotes."""
    raw = source[token.start : token.end]
    if token.kind not in ("string", "name"):
        return raw, (token.start, token.end)
    quote = raw[0]
    closed = len(raw) > 1 and raw[-1] == quote
    end = token.end - 1 if closed else token.end
    return source[token.start + 1 : end].replace(quote * 2, quote), (token.start + 1, end)


def path_at(source: str, tokens: list[Token], index: int) -> tuple[str, int]:
    """A dotted name at `index` and the index after it; an empty name when none stands there."""
    parts = []
    while index < len(tokens) and tokens[index].kind in ("word", "name"):
        parts.append(unquote(tokens[index], source)[0])
        index += 1
        if index + 1 < len(tokens) and tokens[index].upper == "." and tokens[index + 1].kind in ("word", "name"):
            index += 1
        else:
            break
    return ".".join(parts), index


def closing(tokens: list[Token], index: int) -> int:
    """Index of the bracket that closes the one at `index`, or the number of tokens."""
    depth = 0
    for at in range(index, len(tokens)):
        if tokens[at].kind == "mark":
            if tokens[at].upper == "(":
                depth += 1
            elif tokens[at].upper == ")":
                depth -= 1
                if not depth:
                    return at
    return len(tokens)


def options_in(source: str, tokens: list[Token]) -> tuple[list[Option], bool]:
    """`'k' = 'v', …`, and whether some of it cannot be seen: what stands where an option should be is filled in by something (`${kafka},`)."""
    found: list[Option] = []
    hidden = False
    index = 0
    while index < len(tokens):
        token = tokens[index]
        if token.kind == "string" or token.kind == "name" or (token.kind == "word" and MASK not in token.upper):
            key, key_at = unquote(token, source)
            after = index + 1
            while (
                token.kind == "word"
                and after + 1 < len(tokens)
                and tokens[after].upper in (".", "-")
                and tokens[after + 1].start == tokens[after].end
            ):
                key_at = (key_at[0], tokens[after + 1].end)  # unquoted dotted key: another dialect, kept as written
                key = source[key_at[0] : key_at[1]]
                after += 2
            if after + 1 < len(tokens) and tokens[after].upper == "=" and tokens[after].kind == "mark":
                value, value_at = unquote(tokens[after + 1], source)
                found.append(Option(key, value, key_at, value_at, token.kind == "string"))
                hidden = hidden or MASK in key
                index = after + 2
                continue
        hidden = hidden or token.upper != ","
        index += 1
    return found, hidden
