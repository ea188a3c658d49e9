"""SQL of declarative pipelines: what CREATE STREAMING TABLE and CREATE MATERIALIZED VIEW are made of.

Tried on Spark 4.3: a streaming table whose query reads no stream, and a materialized view that reads one, end the run with INVALID_FLOW_QUERY_TYPE, and a streaming view
that is read without STREAM with INCOMPATIBLE_STREAMING_VIEW_READ. A streaming table that groups without a watermark ends it with STREAMING_OUTPUT_MODE: flows append.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.lazy import pattern
from shoal.readers.sql_tokens import Token, lex
from shoal.text import MASK

if TYPE_CHECKING:
    from shoal.readers import Reading
    from shoal.text import Text

_GATE = pattern(r"(?i)\bstreaming\s+(?:live\s+)?table\b|\bmaterialized\s+view\b[\s\S]*?\bstream\b")
_CELL = pattern(r"(?m)^-- COMMAND -{4,}")
_BEFORE = frozenset({"OR", "REFRESH", "REPLACE", "PRIVATE", "TEMPORARY"})
_QUERY = frozenset({"SELECT", "WITH", "TABLE", "VALUES"})


def read_pipelines(text: Text, out: Reading) -> None:
    source = text.text
    if not _GATE.search(source) or "\\'" in source:  # which Databricks takes for an escaped quote, and the lexer for the end of a string
        return
    for statement in _statements(source, lex(source)):
        _read(text, out, statement)


def _statements(source: str, tokens: list[Token]) -> list[list[Token]]:
    """They end with a semicolon, or with the cell of a notebook."""
    cells = [found.start() for found in _CELL.finditer(source)] + [len(source) + 1]
    found: list[list[Token]] = [[]]
    for token in tokens:
        if token.start > cells[0]:
            cells = [at for at in cells if at > token.start]
            found.append([])
        if token.upper == ";":
            found.append([])
        else:
            found[-1].append(token)
    return [one for one in found if one]


def _read(text: Text, out: Reading, statement: list[Token]) -> None:
    words = [token.upper for token in statement]
    if words[0] != "CREATE":
        return
    at = next((index for index, word in enumerate(words[1:], 1) if word not in _BEFORE), len(words))
    kind = " ".join(words[at : at + 2])
    if words[at : at + 3] == ["STREAMING", "LIVE", "TABLE"]:
        kind, at = "STREAMING TABLE", at + 1
    query = _query(words) if kind in ("STREAMING TABLE", "MATERIALIZED VIEW") else len(words)
    if "FROM" not in words[query:] or any(MASK in word or "$" in word for word in words[query:]):
        return
    name = text.text[statement[at + 2].start : statement[_end(statement, at + 2)].end] if at + 2 < query else ""
    reads = [index for index in range(query, len(words) - 1) if words[index] in ("FROM", "JOIN")]
    streams = [index for index in range(query, len(words)) if words[index] == "STREAM"]
    if kind == "STREAMING TABLE" and not streams and not any(_may_stream(text.text, statement, index + 1) for index in reads):
        first = reads[0] + 1
        detail = "its query reads no stream, and a streaming table cannot be made of a batch query (FROM STREAM(…))"
        out.oddity("batch-query-of-streaming-table", name, text.span(statement[first].start, statement[_end(statement, first)].end), detail)
    elif kind == "STREAMING TABLE" and "WATERMARK" not in words:
        grouped = _grouped_stream(words, query)
        if grouped:
            windows = "windows" if "WINDOW" in words[grouped:] else "keys"
            out.oddity("aggregation-of-streaming-table", name, text.span(statement[grouped].start, statement[grouped + 1].end), windows)
    elif kind == "MATERIALIZED VIEW":
        stream = next((index for index in streams if index - 1 in reads), None)
        if stream is not None:
            detail = "its query reads a stream, and a materialized view cannot be made of one (read the table without STREAM, or make it a streaming table)"
            out.oddity("stream-in-materialized-view", name, text.span(statement[stream].start, statement[stream].end), detail)


def _grouped_stream(words: list[str], query: int) -> int:
    """Where rows that are read as a stream are grouped, by the same SELECT; 0 where they are not."""
    depth = 0
    reading: dict[int, bool] = {}  # by depth, whether the FROM there reads a stream
    for index in range(query, len(words) - 1):
        depth += (words[index] == "(") - (words[index] == ")")
        if words[index] == "SELECT":
            reading[depth] = False
        elif words[index] == "FROM":
            reading[depth] = words[index + 1] == "STREAM"
        elif words[index : index + 2] == ["GROUP", "BY"] and reading.get(depth):
            return index
    return 0


def _query(words: list[str]) -> int:
    """Where the query of a CREATE begins; the end where it has none, as one that flows are added to."""
    depth = 0
    for index, word in enumerate(words[:-1]):
        depth += (word == "(") - (word == ")")
        if depth == 0 and word == "AS" and words[index + 1] in _QUERY:
            return index + 1
    return len(words)


def _end(statement: list[Token], index: int) -> int:
    """The last token of a dotted name."""
    while index + 2 < len(statement) and statement[index + 1].upper == ".":
        index += 2
    return index


def _may_stream(source: str, statement: list[Token], index: int) -> bool:
    """Whether what is read may be a stream as it stands: a function, as `cloud_files(…)`, or a view that a cell of another language makes."""
    end = _end(statement, index)
    if end + 1 < len(statement) and statement[end + 1].upper == "(" and statement[index].upper != "(":
        return True
    return f'TempView("{source[statement[index].start : statement[end].end]}")' in source.replace("'", '"')
