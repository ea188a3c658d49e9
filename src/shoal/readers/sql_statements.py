"""Statements of Flink and Spark SQL: SET and RESET, tables, catalogs and hints with their options, and what each INSERT reads and writes."""

from __future__ import annotations

import re

from shoal.readers import sql_columns
from shoal.readers.sql_queries import Features, analyse
from shoal.readers.sql_tokens import Option, Token, closing, lex, options_in, path_at, unquote
from shoal.records import NamedTuple
from shoal.text import MASK

_END = Token("mark", 0, 0, ";")
# First and second words of statements.
_MOVES = {"CREATE": ("TABLE", "VIEW", "CATALOG", "TEMPORARY", "DATABASE", "FUNCTION"), "INSERT": ("INTO", "OVERWRITE")}
# A catalog that is used and whose name is not known.
UNSURE = "?"


class Set(NamedTuple):
    """`SET key = value`; `order` counts the statements, `engine` is empty where either may be meant, `at` is the whole statement (offsets)."""

    option: Option
    quoted: bool
    order: int
    engine: str
    at: tuple[int, int]


class Table(NamedTuple):
    """A table, catalog or hint with its options; `at` is its place (offsets), `open` whether it may have more options than these."""

    name: str
    at: tuple[int, int]
    options: list[Option]
    traits: list[tuple[str, str]]
    open: bool
    kind: str  # table, catalog, hint
    like: str
    enforced: tuple[int, int, str] | None = None  # a primary key without NOT ENFORCED: of one column, or of the table
    reserved: tuple[Token, ...] = ()  # names of columns that the parser takes for words of its own
    untimely: tuple[Token, str] | None = None  # the column of a watermark whose type is not one for it, and that type
    replaces: tuple[int, int] | None = None  # OR REPLACE of a table that no query fills
    watermark: Token | None = None  # the word that declares one
    whole: tuple[Token, ...] = ()  # names of columns of decimals that have no digits behind the point
    physical: tuple[tuple[Token, bool], ...] = ()  # names of columns that stand in the records themselves, and whether each is a TIMESTAMP
    foreign: tuple[Token, ...] = ()  # types of columns that Flink does not know
    unlisted: tuple[tuple[Token, str], ...] = ()  # columns that a watermark, a key or partitions are of, and that the table does not have
    read_as_sql: tuple[tuple[Token, Token], ...] = ()  # `TO_TIMESTAMP` of a column without a pattern, and that column
    metadata: tuple[tuple[Token, Token], ...] = ()  # columns of metadata, and what says which


class Query(NamedTuple):
    """What an INSERT, or a view, reads and writes, and what of it keeps state."""

    kind: str
    target: str
    sources: tuple[str, ...]
    features: Features
    at: tuple[int, int]
    together: bool = False  # in a statement set
    listed: int = 0  # how many columns of the target an INSERT names; 0 where it names none, or where that is not certain
    given: int = 0  # how many columns its query gives; 0 where that is not certain


class Script(NamedTuple):
    """All statements of a text; `unclosed` is where a quote is opened and never closed, -1 for nowhere."""

    sets: list[Set]
    resets: list[tuple[str, int]]
    tables: list[Table]
    queries: list[Query]
    runs: list[int]  # order numbers of statements that start a job
    jars: list[tuple[int, int]]
    used: list[str]  # catalogs, as one was used after the other
    altered: list[str]  # tables that get or lose columns
    unclosed: int


def used_catalog(text: str, catalog: str) -> str:
    """The catalog that is used after a script, where `catalog` is used before it."""
    return parse(text, lex(text), catalog).used[-1] if "use" in text.lower() else catalog


def is_flink_key(key: str) -> bool:
    """Whether a key's first part is one that Flink's options begin with."""
    from shoal.readers.conf_text import ROOTS

    return "." in key and key.split(".")[0].lower() in ROOTS


def parse(source: str, tokens: list[Token], catalog: str = "") -> Script:
    """The statements of a text whose tokens these are; `catalog`: the one that is used before it."""
    script = Script([], [], [], [], [], [], [catalog], [], _unclosed(source, tokens))
    start = 0
    order = 0
    together = False
    for index, token in enumerate([*tokens, _END]):
        ends = token.upper == ";" and token.kind == "mark"
        if ends or _begins(source, tokens, start, index):
            if index > start:
                order += 1
                words = [word.upper for word in tokens[start : min(index, start + 3)]]
                together = words[1:] == ["STATEMENT", "SET"] or (together and words[0] != "END")
                before = len(script.queries)
                _statement(source, tokens[start:index], order, script)
                script.queries[before:] = [query._replace(together=together) for query in script.queries[before:]]
            start = index + 1 if ends else index
    return script


def _begins(source: str, tokens: list[Token], start: int, index: int) -> bool:
    """Whether a statement begins on a new line after a CREATE or INSERT that no semicolon ends: what submits such scripts splits them by itself."""
    if tokens[index].upper not in _MOVES or tokens[start].upper not in _MOVES or index < start + 4:
        return False
    following = tokens[index + 1].upper if index + 1 < len(tokens) else ""
    if following not in _MOVES[tokens[index].upper] or "\n" not in source[tokens[index - 1].end : tokens[index].start]:
        return False
    marks = [token.upper for token in tokens[start:index] if token.kind == "mark"]
    return marks.count("(") == marks.count(")")


def _unclosed(source: str, tokens: list[Token]) -> int:
    if tokens and tokens[-1].kind == "string":
        body = tokens[-1].upper
        closing = len(body) - len(body.rstrip("'"))
        # an odd number of quotes at the end closes; of nothing but quotes, an even one does
        if (closing == len(body) and closing % 2) or (closing < len(body) and closing % 2 == 0):
            return tokens[-1].start
    return -1


def _statement(source: str, tokens: list[Token], order: int, script: Script) -> None:
    words = [token.upper for token in tokens[:6]]
    if words[:3] == ["EXECUTE", "STATEMENT", "SET"] or words[:3] == ["BEGIN", "STATEMENT", "SET"]:
        tokens = tokens[4 if words[3:4] == ["BEGIN"] else 3 :]
        script.runs.append(order)
    elif words[:1] in (["BEGIN"], ["EXECUTE"]):
        tokens = tokens[1:]
    elif words[:1] in (["EXPLAIN"], ["DESCRIBE"], ["SHOW"], ["DROP"]):
        return
    if not tokens:
        return
    first = tokens[0].upper
    if first == "SET":
        _set(source, tokens, order, script)
    elif first == "RESET":
        script.resets.append((_plain(source, tokens[1:]), order))
    elif first == "CREATE":
        _create(source, tokens, order, script)
    elif first == "INSERT":
        script.runs.append(order)
        _insert(source, tokens, script)
    elif first in ("SELECT", "WITH"):
        script.runs.append(order)
        sources, features = analyse(source, tokens, lambda hint, table: _hint(source, hint, table, script))
        script.queries.append(Query("select", "", sources, features, (tokens[0].start, tokens[0].end)))
    elif first == "ALTER":
        _alter(source, tokens, script)
    elif first == "USE":
        _use(source, tokens, script)
    elif first == "ADD" and tokens[1:] and tokens[1].upper in ("JAR", "JARS"):
        script.jars.append((tokens[1].end, tokens[-1].end))


def _use(source: str, tokens: list[Token], script: Script) -> None:
    """USE CATALOG c, or USE c.d; a database alone is one of the catalog that is used."""
    whole = [token.upper for token in tokens[1:2]] == ["CATALOG"]
    name, _ = path_at(source, tokens, 2 if whole else 1)
    if whole or "." in name:
        script.used.append(UNSURE if not name or MASK in name or "$" in name else name if whole else name.split(".")[0])


def _plain(source: str, tokens: list[Token]) -> str:
    """What a few tokens say, without quotes."""
    if len(tokens) == 1:
        return unquote(tokens[0], source)[0]
    return "".join(source[token.start : token.end] for token in tokens)


def _set(source: str, tokens: list[Token], order: int, script: Script) -> None:
    equals = next((index for index, token in enumerate(tokens[:40]) if token.upper == "=" and token.kind == "mark"), 0)
    if equals < 2:
        return
    whole = (tokens[0].start, tokens[-1].end)
    keyed, valued = tokens[1:equals], tokens[equals + 1 :]
    if len(keyed) == 1 and keyed[0].kind in ("string", "name"):
        key, key_at = unquote(keyed[0], source)
    else:
        key_at = (keyed[0].start, keyed[-1].end)
        key = source[key_at[0] : key_at[1]]
        if re.search(r"\s", key):
            return
    if not valued:
        at = tokens[equals].end
        value, value_at = "", (at, at)
    elif len(valued) == 1:
        value, value_at = unquote(valued[0], source)
    else:
        # unquoted: the rest of the line
        start = valued[0].start
        end = valued[0].end
        for token in valued[1:]:
            if "\n" in source[end : token.start]:
                break
            end = token.end
        value, value_at = source[start:end], (start, end)
    quoted = keyed[0].kind == "string" and len(valued) == 1 and valued[0].kind == "string"
    engine = "spark" if key.startswith("spark.") else "flink" if keyed[0].kind == "string" or is_flink_key(key) else ""
    script.sets.append(Set(Option(key, value, key_at, value_at, keyed[0].kind == "string"), quoted, order, engine, whole))


def _create(source: str, tokens: list[Token], order: int, script: Script) -> None:
    index = 1
    while index < len(tokens) and tokens[index].upper in ("OR", "REPLACE", "TEMPORARY", "SYSTEM", "MATERIALIZED"):
        index += 1
    if index >= len(tokens):
        return
    what = tokens[index].upper
    index += 1
    if what not in ("TABLE", "VIEW", "CATALOG"):
        return
    if [token.upper for token in tokens[index : index + 3]] == ["IF", "NOT", "EXISTS"]:
        index += 3
    start = index
    name, index = path_at(source, tokens, index)
    if not name:
        return
    at = (tokens[start].start, tokens[index - 1].end)
    traits: list[tuple[str, str]] = []
    catalog = name.split(".")[0] if name.count(".") == 2 else script.used[-1]
    if (
        what == "TABLE"
        and catalog not in ("", UNSURE)
        and MASK not in catalog
        and "TEMPORARY" not in (token.upper for token in tokens[:start])
    ):
        traits.append(("catalog", catalog))
    options: list[Option] = []
    opened = False
    like = ""
    # a temporary table is gone with its session: nothing of the last run is there to be replaced
    kept = "TEMPORARY" not in (token.upper for token in tokens[:start])
    replaces = (
        (tokens[1].start, tokens[2].end)
        if what == "TABLE" and kept and [token.upper for token in tokens[1:3]] == ["OR", "REPLACE"]
        else None
    )
    enforced = None
    reserved: tuple[Token, ...] = ()
    untimely = watermark = None
    whole: tuple[Token, ...] = ()
    physical: tuple[tuple[Token, bool], ...] = ()
    foreign: tuple[Token, ...] = ()
    unlisted: tuple[tuple[Token, str], ...] = ()
    read_as_sql: tuple[tuple[Token, Token], ...] = ()
    metadata: tuple[tuple[Token, Token], ...] = ()
    columns: frozenset[str] = frozenset()
    while index < len(tokens):
        token = tokens[index]
        if token.upper == "(" and token.kind == "mark":
            close = closing(tokens, index)
            if what == "TABLE" and tokens[index - 1].upper == "BY" and tokens[index - 2].upper == "PARTITIONED":
                traits.append(("partitioned", "true"))
                unlisted += sql_columns.parting(source, tokens, index, close, columns)
            if what == "TABLE" and tokens[index - 1].upper not in ("BY", "INTO", "HASH", "RANGE"):
                found, watermark = _columns(tokens, index, close)
                traits += found
                if count := sql_columns.taken(tokens, index, close):
                    traits.append(("columns", str(count)))
                enforced = _enforced(tokens, index, close)
                reserved = sql_columns.reserved(tokens, index, close)
                untimely = sql_columns.untimely(tokens, index, close)
                whole = sql_columns.whole(tokens, index, close)
                physical = sql_columns.physical(tokens, index, close)
                read_as_sql = sql_columns.read_as_sql(tokens, index, close)
                foreign = sql_columns.foreign(tokens, index, close)
                metadata = sql_columns.metadata(tokens, index, close)
                columns = sql_columns.declared(source, tokens, index, close)
                unlisted += sql_columns.unlisted(source, tokens, index, close, columns)
            index = close + 1
        elif token.upper == "WITH" and tokens[index + 1 : index + 2] and tokens[index + 1].upper == "(":
            close = closing(tokens, index + 1)
            given, hidden = options_in(source, tokens[index + 2 : close])
            options += given
            opened = opened or hidden
            index = close + 1
        elif token.upper == "WITH" and tokens[index + 1 : index + 2] and MASK in tokens[index + 1].upper:
            opened = True
            index += 2
        elif token.upper == "LIKE" and token.kind == "word":
            like, index = path_at(source, tokens, index + 1)
        elif token.upper == "AS" and token.kind == "word":
            sources, features = analyse(source, tokens[index + 1 :], lambda hint, table: _hint(source, hint, table, script))
            kind = "create-view" if what == "VIEW" else "create-table-as"
            replaces = None
            if what != "VIEW":
                script.runs.append(order)
            script.queries.append(Query(kind, name, sources, features, at))
            break
        else:
            opened = opened or (MASK in token.upper and token.kind == "word")
            index += 1
    if what != "VIEW":
        seen = (enforced, reserved, untimely, replaces, watermark, whole, physical, foreign, unlisted, read_as_sql, metadata)
        script.tables.append(Table(name, at, options, traits, opened, what.lower(), like, *seen))


def _enforced(tokens: list[Token], start: int, end: int) -> tuple[int, int, str] | None:
    """The primary key of a table if it does not say NOT ENFORCED: where it stands, and whether it is one column's or the table's."""
    depth = 0
    for index in range(start, end - 1):
        upper = tokens[index].upper
        depth += 1 if upper == "(" else -1 if upper == ")" else 0
        if depth != 1 or upper != "PRIMARY" or tokens[index].kind != "word" or tokens[index + 1].upper != "KEY":
            continue
        after = index + 2
        of_table = after < end and tokens[after].upper == "("
        if of_table:
            after = closing(tokens, after) + 1
        # a template may go on here with whatever it holds
        if after > min(end, len(tokens) - 1) or tokens[after].upper == "NOT" or MASK in tokens[after].upper:
            return None
        return tokens[index].start, tokens[after - 1].end, "table" if of_table else "column"
    return None


def _columns(tokens: list[Token], start: int, end: int) -> tuple[list[tuple[str, str]], Token | None]:
    """What the columns of a table say of it, and the word that declares its watermark."""
    traits = []
    watermark = None
    depth = 0
    for index in range(start, end):
        upper = tokens[index].upper
        if upper == "(":
            depth += 1
        elif upper == ")":
            depth -= 1
        elif depth == 1 and tokens[index].kind == "word":
            following = tokens[index + 1].upper if index + 1 < end else ""
            if upper == "WATERMARK" and following == "FOR":
                traits.append(("has-watermark", "true"))
                watermark = tokens[index]
            elif upper == "PRIMARY" and following == "KEY":
                traits.append(("has-primary-key", "true"))
            elif (upper == "AS" and tokens[index - 2].upper in ("(", ",")) or (
                upper == "METADATA" and tokens[index - 1].upper not in ("(", ",")
            ):
                traits.append(("has-computed", "true"))
            elif upper == "PROCTIME" and following == "(":
                traits.append(("has-proctime", "true"))
    declared = {
        (tokens[at + 1].upper.strip("`").upper(), tokens[at + 2].upper)
        for at in range(start, min(end, len(tokens) - 2))
        if at == start or tokens[at].upper == ","
    }
    if declared & {("AFTER", "ROW"), ("BEFORE", "ROW")} and declared & {("OP", "STRING"), ("OP", "VARCHAR"), ("OP", "CHAR")}:
        traits.append(("envelope", "debezium"))
    return list(dict.fromkeys(traits)), watermark


def _insert(source: str, tokens: list[Token], script: Script) -> None:
    index = 1
    while index < len(tokens) and tokens[index].upper in ("INTO", "OVERWRITE", "TABLE"):
        index += 1
    target, after = path_at(source, tokens, index)
    if not target:
        return
    at = (tokens[0].start, tokens[after - 1].end)
    if after < len(tokens) and tokens[after].kind == "hint":
        _hint(source, tokens[after], target, script)
        after += 1
    sources, features = analyse(source, tokens[after:], lambda hint, table: _hint(source, hint, table, script))
    script.queries.append(Query("insert", target, sources, features, at, False, *sql_columns.given(tokens, after)))


def _alter(source: str, tokens: list[Token], script: Script) -> None:
    """ALTER TABLE t SET ('k' = 'v'): more options of a table."""
    if len(tokens) < 5 or tokens[1].upper != "TABLE":
        return
    index = 4 if tokens[2].upper == "IF" else 2
    start = index
    name, index = path_at(source, tokens, index)
    if name and index + 1 < len(tokens) and tokens[index].upper == "SET" and tokens[index + 1].upper == "(":
        options, hidden = options_in(source, tokens[index + 2 : closing(tokens, index + 1)])
        script.tables.append(Table(name, (tokens[start].start, tokens[index - 1].end), options, [], hidden, "hint", ""))
    elif name and index < len(tokens) and tokens[index].upper in ("ADD", "DROP", "MODIFY"):
        script.altered.append(name)


def _hint(source: str, token: Token, table: str, script: Script) -> bool:
    """Add the table options of a hint; says whether the hint sets a state TTL."""
    end = token.end - 2 if source.endswith("*/", token.start, token.end) else token.end
    inner = [
        Token(found.kind, found.start + token.start + 3, found.end + token.start + 3, found.upper)
        for found in lex(source[token.start + 3 : end])
    ]
    for index, word in enumerate(inner):
        if word.upper == "OPTIONS" and index + 1 < len(inner) and inner[index + 1].upper == "(":
            options, hidden = options_in(source, inner[index + 2 : closing(inner, index + 1)])
            if options:
                script.tables.append(Table(table, (token.start, token.end), options, [], hidden, "hint", ""))
    return any(word.upper == "STATE_TTL" for word in inner)
