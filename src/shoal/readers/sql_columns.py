"""The columns of a table as its tokens say them: how many it takes and an INSERT gives, names that are words of SQL, types that are not what is meant."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.readers.sql_tokens import Token, closing
from shoal.text import MASK

_ENDS = frozenset({"FROM", "UNION", "EXCEPT", "INTERSECT", "MINUS", "WHERE", "ORDER", "LIMIT"})
_TEMPLATE = frozenset({"{", "}", "$", "%", "?", "#", "@"})

# Types that a watermark cannot be on, whatever their length.
_NO_TIME = frozenset(
    {"STRING", "VARCHAR", "CHAR", "BIGINT", "INT", "INTEGER", "SMALLINT", "DOUBLE", "FLOAT", "DECIMAL", "DATE", "TIME", "BOOLEAN", "BYTES"}
)

# Types of other databases and languages that Flink does not know, and the nearest of its own. All were tried on 1.20.1 and 2.0.1.
FOREIGN = {
    **dict.fromkeys(["TEXT", "MEDIUMTEXT", "LONGTEXT", "TINYTEXT", "NVARCHAR", "VARCHAR2", "CLOB", "UUID", "JSON", "JSONB"], "STRING"),
    **dict.fromkeys(["DATETIME", "DATETIME2"], "TIMESTAMP(3)"),
    **dict.fromkeys(["LONG", "INT8", "INT64", "UINT32", "BIGSERIAL"], "BIGINT"),
    **dict.fromkeys(["INT4", "INT32", "UINT16", "MEDIUMINT", "SERIAL"], "INT"),
    **dict.fromkeys(["INT2", "INT16", "UINT8"], "SMALLINT"),
    **dict.fromkeys(["FLOAT4", "FLOAT32", "REAL"], "FLOAT"),
    **dict.fromkeys(["FLOAT8", "FLOAT64"], "DOUBLE"),
    **dict.fromkeys(["BLOB", "BYTEA"], "BYTES"),
    **dict.fromkeys(["NUMBER", "MONEY", "UINT64"], "DECIMAL(p, s)"),
    "BOOL": "BOOLEAN",
    "TIMESTAMPTZ": "TIMESTAMP_LTZ(3)",
    "TIMESTAMP_NTZ": "TIMESTAMP(3)",
}
_CONSTRAINTS = ("WATERMARK", "PRIMARY", "CONSTRAINT", "UNIQUE")


def taken(tokens: list[Token], start: int, end: int) -> int:
    """How many columns Flink writes of those in these brackets: neither computed ones nor virtual metadata; 0 where that is not certain."""
    count = 0
    for item in _items(tokens, start + 1, end):
        words = [token.upper for token in item]
        if not item or end >= len(tokens) or _is_filled_in(item):
            return 0
        if words[:2] == ["WATERMARK", "FOR"] or words[:2] == ["PRIMARY", "KEY"] or words[0] in ("CONSTRAINT", "UNIQUE"):
            continue
        if item[0].kind not in ("word", "name") or len(item) < 2:
            return 0
        if words[1] == "AS" or ("METADATA" in words and words[-1] == "VIRTUAL") or ("METADATA" in words and "COMMENT" in words):
            if "COMMENT" in words and words[1] != "AS":
                return 0  # VIRTUAL may stand before it
            continue
        count += 1
    return count


def given(tokens: list[Token], start: int) -> tuple[int, int]:
    """How many columns an INSERT names, and how many its query gives, whose tokens begin after the target; (0, 0) where that is not certain."""
    listed = 0
    if start < len(tokens) and tokens[start].upper == "(" and tokens[start].kind == "mark":
        close = closing(tokens, start)
        items = list(_items(tokens, start + 1, close))
        if any(len(item) != 1 or item[0].kind not in ("word", "name") or MASK in item[0].upper for item in items):
            return 0, 0
        listed, start = len(items), close + 1
    if start >= len(tokens) or tokens[start].kind != "word":
        return 0, 0
    if tokens[start].upper == "VALUES":
        close = closing(tokens, start + 1)
        row = list(_items(tokens, start + 2, close)) if tokens[start + 1 : start + 2] and tokens[start + 1].upper == "(" else []
        return (listed, len(row)) if row and close < len(tokens) and not any(not item or _is_filled_in(item) for item in row) else (0, 0)
    if tokens[start].upper == "WITH":
        start = _select(tokens, start)
    if start >= len(tokens) or tokens[start].upper != "SELECT":
        return 0, 0
    start += 1
    while start < len(tokens) and (tokens[start].upper in ("ALL", "DISTINCT") or tokens[start].kind == "hint"):
        start += 1
    items = list(_items(tokens, start, len(tokens), _ENDS))
    if any(not item or _is_filled_in(item) or item[-1].upper == "*" for item in items):
        return 0, 0
    return listed, len(items)


def reserved(tokens: list[Token], start: int, end: int) -> tuple[Token, ...]:
    """Columns, of those in these brackets, whose names are words of SQL and stand there without backticks."""
    from shoal.readers.sql_words import RESERVED

    return tuple(
        item[0]
        for item in _items(tokens, start + 1, end)
        if len(item) > 1 and item[0].kind == item[1].kind == "word" and item[0].upper in RESERVED and MASK not in item[1].upper
    )


def whole(tokens: list[Token], start: int, end: int) -> tuple[Token, ...]:
    """Columns of type DECIMAL that say nothing more of it, which is DECIMAL(10, 0)."""
    return tuple(
        item[0]
        for item in _items(tokens, start + 1, end)
        if len(item) > 1
        and item[1].kind == "word"
        and item[1].upper in ("DECIMAL", "NUMERIC", "DEC")
        and not (len(item) > 2 and (item[2].upper == "(" or MASK in item[2].upper))
    )


def metadata(tokens: list[Token], start: int, end: int) -> tuple[tuple[Token, Token], ...]:
    """Columns of metadata, each with the token that says which: `FROM '…'`, or its own name."""
    found = []
    for item in _items(tokens, start + 1, end):
        words = [token.upper for token in item]
        if len(item) > 2 and "METADATA" in words[2:] and item[words.index("METADATA", 2)].kind == "word" and not _is_filled_in(item):
            at = words.index("METADATA", 2)
            said = item[at + 2] if words[at + 1 : at + 2] == ["FROM"] and len(item) > at + 2 else item[0]
            found.append((item[0], said))
    return tuple(found)


def foreign(tokens: list[Token], start: int, end: int) -> tuple[Token, ...]:
    """The types of columns that Flink does not know."""
    return tuple(
        item[1]
        for item in _items(tokens, start + 1, end)
        if len(item) > 1
        and item[0].kind in ("word", "name")
        and item[0].upper not in _CONSTRAINTS
        and item[1].kind == "word"
        and item[1].upper in FOREIGN
    )


def declared(source: str, tokens: list[Token], start: int, end: int) -> frozenset[str]:
    """The names of all columns of those in these brackets, computed ones too; none where that is not certain."""
    found = set()
    for item in _items(tokens, start + 1, end):
        if not item or _is_filled_in(item) or item[0].kind not in ("word", "name"):
            return frozenset()
        if item[0].kind == "name" or item[0].upper not in _CONSTRAINTS:
            found.add(_name(source, item[0]))
    return frozenset(found)


def unlisted(source: str, tokens: list[Token], start: int, end: int, names: frozenset[str]) -> tuple[tuple[Token, str], ...]:
    """Columns that a watermark or a primary key is on, and that the table does not have: names are told apart by case, too."""
    asked: list[tuple[Token, str]] = []
    for item in _items(tokens, start + 1, end) if names else ():
        words = [token.upper for token in item]
        if words[:2] == ["WATERMARK", "FOR"] and words[3:4] == ["AS"]:
            asked.append((item[2], "watermark"))
        elif words[0] in ("PRIMARY", "CONSTRAINT") and "KEY" in words[:-1] and item[0].kind == "word":
            opening = words.index("KEY") + 1
            inside = item[opening + 1 : closing(item, opening)] if words[opening] == "(" else []
            asked += [(token, "primary key") for token in inside if token.kind in ("word", "name")]
    return tuple((token, what) for token, what in asked if token.kind in ("word", "name") and _name(source, token) not in names)


def parting(source: str, tokens: list[Token], start: int, end: int, names: frozenset[str]) -> tuple[tuple[Token, str], ...]:
    """Columns that a table is partitioned by, and that it does not have."""
    items = _items(tokens, start + 1, end) if names else []
    asked = [item[0] for item in items if item and item[0].kind in ("word", "name")]  # Hive's grammar has a type behind the name
    plain = all(token.kind in ("word", "name") or token.upper == "," for token in tokens[start + 1 : end])
    return tuple((token, "partition") for token in asked if plain and MASK not in token.upper and _name(source, token) not in names)


def _name(source: str, token: Token) -> str:
    return source[token.start : token.end].strip("`")


def read_as_sql(tokens: list[Token], start: int, end: int) -> tuple[tuple[Token, Token], ...]:
    """Computed columns of those in these brackets that are `TO_TIMESTAMP` of a column as it is, with no pattern, or a `CAST` of it AS TIMESTAMP: the word, and the column that it reads."""
    found = []
    for item in _items(tokens, start + 1, end):
        words = [token.upper for token in item]
        made = words[1:4] == ["AS", "TO_TIMESTAMP", "("] and words[5:] == [")"]
        cast = (
            words[1:4] == ["AS", "CAST", "("] and words[5:7] == ["AS", "TIMESTAMP"] and words[7:] in ([")"], ["(", *words[8:9], ")", ")"])
        )
        if (made or cast) and item[4].kind in ("word", "name") and MASK not in item[4].upper:
            found.append((item[2], item[4]))
    return tuple(found)


def physical(tokens: list[Token], start: int, end: int) -> tuple[tuple[Token, bool], ...]:
    """The names of the columns that stand in the records themselves, each with whether it is a TIMESTAMP; none where that is not certain."""
    found = []
    for item in _items(tokens, start + 1, end):
        words = [token.upper for token in item]
        if not item or _is_filled_in(item):
            return ()
        if words[0] in ("WATERMARK", "PRIMARY", "CONSTRAINT", "UNIQUE") or "METADATA" in words or words[1:2] == ["AS"]:
            continue
        if item[0].kind not in ("word", "name") or len(item) < 2:
            return ()
        found.append((item[0], words[1] in ("TIMESTAMP", "TIMESTAMP_LTZ")))
    return tuple(found)


def untimely(tokens: list[Token], start: int, end: int) -> tuple[Token, str] | None:
    """The column that a watermark is declared on, where its type is no TIMESTAMP of at most three digits; columns of a table that it is like are not seen."""
    types: dict[str, str] = {}
    watermarked = None
    for item in _items(tokens, start + 1, end):
        name, kind, *after = [token.upper for token in item] if len(item) > 1 else ("", "")
        if name == "WATERMARK" and kind == "FOR" and after[1:2] == ["AS"]:
            watermarked = item[2]
        elif kind in ("TIMESTAMP", "TIMESTAMP_LTZ"):
            digits = after[1] if after[:1] == ["("] and len(after) > 1 else ""
            types[name.strip("`")] = "" if digits in ("0", "1", "2", "3") or MASK in digits else f"{kind}({digits})" if digits else kind
        elif kind in _NO_TIME:
            types[name.strip("`")] = kind
    wrong = types.get(watermarked.upper.strip("`"), "") if watermarked is not None else ""
    return (watermarked, wrong) if watermarked is not None and wrong else None


def _select(tokens: list[Token], start: int) -> int:
    """Where the SELECT stands that common table expressions are for."""
    while start < len(tokens) and tokens[start].upper != "SELECT":
        start = closing(tokens, start) + 1 if tokens[start].upper == "(" else start + 1
    return start


def _is_filled_in(item: list[Token]) -> bool:
    """Whether a template, or a program, may put more there than one column."""
    return any(MASK in token.upper or (token.kind == "mark" and token.upper in _TEMPLATE) for token in item)


def _items(tokens: list[Token], start: int, end: int, ends: frozenset[str] = frozenset()) -> Iterator[list[Token]]:
    """What commas part that stand in no brackets, not even in those of a type; up to `end`, or to one of the words `ends`."""
    item: list[Token] = []
    depth = angle = 0
    for index in range(start, min(end, len(tokens))):
        token = tokens[index]
        if token.kind == "mark":
            if token.upper in ("(", "["):
                depth += 1
            elif token.upper in (")", "]"):
                depth -= 1
            elif token.upper == "<" and tokens[index - 1].upper in ("ROW", "MAP", "ARRAY", "MULTISET"):
                angle += 1
            elif token.upper == ">" and angle:
                angle -= 1
            elif token.upper == "," and depth <= 0 and not angle:
                yield item
                item = []
                continue
        elif token.kind == "word" and token.upper in ends and not depth:
            break
        item.append(token)
    yield item
