"""Flink and Spark SQL: SET and RESET, table options, hints, and what each INSERT reads, writes and keeps in state."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from shoal.facts import Block, Origin, Statement, Usage
from shoal.model import Span
from shoal.readers.sql_queries import KEEPING, Features, analyse
from shoal.readers.sql_tokens import Option, Token, closing, lex, options_in, path_at, unquote
from shoal.text import MASK

if TYPE_CHECKING:
    from shoal.model import Edit
    from shoal.readers import Reading
    from shoal.text import Text

_GATE = re.compile(
    r"(?i)'connector|\bwatermark\s+for\b|statement\s+set\b|/\*\+\s*options|(?:^|[;\s])(?:re)?set\s|descriptor\s*\(|create\s+catalog|add\s+jar"
)
_DIALECT = "table.sql-dialect"  # counts for each statement behind it, also for one that runs nothing
_TRAILING = re.compile(r"'?[ \t]*[,;)]*[ \t]*;?[ \t]*--[ \t]*([^\r\n]*)")


class _Set(NamedTuple):
    option: Option
    quoted: bool
    order: int
    engine: str
    at: tuple[int, int]


class _Table(NamedTuple):
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


class _Query(NamedTuple):
    kind: str
    target: str
    sources: tuple[str, ...]
    features: Features
    at: tuple[int, int]
    together: bool = False  # in a statement set


class _Script(NamedTuple):
    sets: list[_Set]
    resets: list[tuple[str, int]]
    tables: list[_Table]
    queries: list[_Query]
    runs: list[int]  # order numbers of statements that start a job
    jars: list[tuple[int, int]]
    used: list[str]  # catalogs, as one was used after the other
    unclosed: int


_END = Token("mark", 0, 0, ";")
# First and second words of statements.
_MOVES = {"CREATE": ("TABLE", "VIEW", "CATALOG", "TEMPORARY", "DATABASE", "FUNCTION"), "INSERT": ("INTO", "OVERWRITE")}
# Quotes with a backslash before them, which Flink's dialect does not have: rows of another database in which statements of Flink are kept.
_ESCAPED = re.compile(r"\\'[\w.-][^'\\\n]{0,200}\\'")
# A catalog that is used and whose name is not known.
UNSURE = "?"


def read(text: Text, out: Reading) -> None:
    """A .sql file: claimed only when it has what no dialect but Flink's (or Spark's) has."""
    if not _GATE.search(text.text):
        return
    tokens = lex(text.text)
    script = _parse(text.text, tokens)
    engine = _engine(text.text, tokens, script)
    if not engine or (engine == "flink" and _ESCAPED.search(text.text)):
        return
    _emit(text, out, script, None, engine, tokens, "script")
    if script.unclosed >= 0 and not out.unfinished:
        out.problem(
            "unparsable",
            "a quote that is opened here is never closed",
            text.at(script.unclosed),
            "close the string; what follows was not read",
        )


def read_sql(
    text: Text,
    out: Reading,
    parent: Block | None = None,
    engine: str = "flink",
    alone: str = "script",
    catalog: str = "",
    origin: Origin | None = None,
) -> str:
    """SQL that is known to be meant for `engine`: a statement in a program, a script in a manifest or a heredoc. `alone` is that of its inserts.

    `catalog`: the one that is used before it; returns the one that is used after it. `origin`: where the text begins that another file has.
    """
    tokens = lex(text.text)
    script = _parse(text.text, tokens, catalog)
    _emit(text, out, script, parent, engine, tokens, alone, origin)
    return script.used[-1]


def used_catalog(text: str, catalog: str) -> str:
    """The catalog that is used after a script, where `catalog` is used before it."""
    return _parse(text, lex(text), catalog).used[-1] if "use" in text.lower() else catalog


def is_flink_key(key: str) -> bool:
    """Whether a key's first part is one that Flink's options begin with."""
    from shoal.readers.conf_text import ROOTS

    return "." in key and key.split(".")[0].lower() in ROOTS


# ---------------------------------------------------------------- parsing


def _parse(source: str, tokens: list[Token], catalog: str = "") -> _Script:
    script = _Script([], [], [], [], [], [], [catalog], _unclosed(source, tokens))
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


def _statement(source: str, tokens: list[Token], order: int, script: _Script) -> None:
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
        script.queries.append(_Query("select", "", sources, features, (tokens[0].start, tokens[0].end)))
    elif first == "ALTER":
        _alter(source, tokens, script)
    elif first == "USE":
        _use(source, tokens, script)
    elif first == "ADD" and tokens[1:] and tokens[1].upper in ("JAR", "JARS"):
        script.jars.append((tokens[1].end, tokens[-1].end))


def _use(source: str, tokens: list[Token], script: _Script) -> None:
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


def _set(source: str, tokens: list[Token], order: int, script: _Script) -> None:
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
    script.sets.append(_Set(Option(key, value, key_at, value_at, keyed[0].kind == "string"), quoted, order, engine, whole))


def _create(source: str, tokens: list[Token], order: int, script: _Script) -> None:
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
    replaces = (tokens[1].start, tokens[2].end) if what == "TABLE" and [token.upper for token in tokens[1:3]] == ["OR", "REPLACE"] else None
    enforced = None
    reserved: tuple[Token, ...] = ()
    untimely = watermark = None
    while index < len(tokens):
        token = tokens[index]
        if token.upper == "(" and token.kind == "mark":
            close = closing(tokens, index)
            if what == "TABLE" and tokens[index - 1].upper == "BY" and tokens[index - 2].upper == "PARTITIONED":
                traits.append(("partitioned", "true"))
            if what == "TABLE" and tokens[index - 1].upper not in ("BY", "INTO", "HASH", "RANGE"):
                found, watermark = _columns(tokens, index, close)
                traits += found
                enforced = _enforced(tokens, index, close)
                reserved = _reserved(tokens, index, close)
                untimely = _untimely(tokens, index, close)
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
            script.queries.append(_Query(kind, name, sources, features, at))
            break
        else:
            opened = opened or (MASK in token.upper and token.kind == "word")
            index += 1
    if what != "VIEW":
        seen = (enforced, reserved, untimely, replaces, watermark)
        script.tables.append(_Table(name, at, options, traits, opened, what.lower(), like, *seen))


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


def _reserved(tokens: list[Token], start: int, end: int) -> tuple[Token, ...]:
    """Columns whose names are words of SQL and stand there without backticks."""
    from shoal.readers.sql_words import RESERVED

    found = []
    depth = angle = 0
    for index in range(start, min(end, len(tokens) - 1) - 1):
        token = tokens[index]
        if token.upper in ("(", ")"):
            depth += 1 if token.upper == "(" else -1
        elif token.upper == "<" and tokens[index - 1].upper in ("ROW", "MAP", "ARRAY", "MULTISET"):
            angle += 1
        elif token.upper == ">" and angle:
            angle -= 1
        if depth == 1 and not angle and (index == start or token.upper == ","):
            name, after = tokens[index + 1], tokens[index + 2]
            if name.kind == after.kind == "word" and name.upper in RESERVED and MASK not in after.upper:
                found.append(name)
    return tuple(found)


# Types that a watermark cannot be on, whatever their length.
_NO_TIME = frozenset(
    {"STRING", "VARCHAR", "CHAR", "BIGINT", "INT", "INTEGER", "SMALLINT", "DOUBLE", "FLOAT", "DECIMAL", "DATE", "TIME", "BOOLEAN", "BYTES"}
)


def _untimely(tokens: list[Token], start: int, end: int) -> tuple[Token, str] | None:
    """The column that a watermark is declared on, where its type is no TIMESTAMP of at most three digits; columns of a table that it is like are not seen."""
    types: dict[str, str] = {}
    watermarked = None
    depth = 0
    for index in range(start, min(end, len(tokens) - 5)):
        upper = tokens[index].upper
        depth += 1 if upper == "(" else -1 if upper == ")" else 0
        if depth != 1 or not (index == start or upper == ","):
            continue
        name, kind, *after = tokens[index + 1 : index + 6]
        if name.upper == "WATERMARK" and kind.upper == "FOR" and after[1].upper == "AS":
            watermarked = after[0]
        elif kind.upper in ("TIMESTAMP", "TIMESTAMP_LTZ"):
            digits = after[1].upper if after[0].upper == "(" else ""
            types[name.upper.strip("`")] = (
                "" if digits in ("0", "1", "2", "3") or MASK in digits else f"{kind.upper}({digits})" if digits else kind.upper
            )
        elif kind.upper in _NO_TIME:
            types[name.upper.strip("`")] = kind.upper
    wrong = types.get(watermarked.upper.strip("`"), "") if watermarked is not None else ""
    return (watermarked, wrong) if watermarked is not None and wrong else None


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


def _insert(source: str, tokens: list[Token], script: _Script) -> None:
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
    script.queries.append(_Query("insert", target, sources, features, at))


def _alter(source: str, tokens: list[Token], script: _Script) -> None:
    """ALTER TABLE t SET ('k' = 'v'): more options of a table."""
    if len(tokens) < 5 or tokens[1].upper != "TABLE":
        return
    index = 4 if tokens[2].upper == "IF" else 2
    start = index
    name, index = path_at(source, tokens, index)
    if name and index + 1 < len(tokens) and tokens[index].upper == "SET" and tokens[index + 1].upper == "(":
        options, hidden = options_in(source, tokens[index + 2 : closing(tokens, index + 1)])
        script.tables.append(_Table(name, (tokens[start].start, tokens[index - 1].end), options, [], hidden, "hint", ""))


def _hint(source: str, token: Token, table: str, script: _Script) -> bool:
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
                script.tables.append(_Table(table, (token.start, token.end), options, [], hidden, "hint", ""))
    return any(word.upper == "STATE_TTL" for word in inner)


# ---------------------------------------------------------------- facts


def _engine(source: str, tokens: list[Token], script: _Script) -> str:
    """`flink`, `spark`, or an empty text when nothing shows which dialect this is."""
    if _in_a_row(tokens, "FORMAT", "", "ENCODE"):
        return ""  # RisingWave's, which has watermarks and window functions of Flink's names
    for table in script.tables:
        keys = {option.key for option in table.options if option.quoted}
        if keys & {"connector", "connector.type"} or ("has-watermark", "true") in table.traits:
            return "flink"
        if table.kind == "catalog" and "type" in keys:
            return "flink"
        if table.kind == "hint" and source[table.at[0] : table.at[0] + 3] == "/*+":
            return "flink"
    for one in script.sets:
        if one.engine == "flink" and is_flink_key(one.option.key):
            return "flink"
    if _in_a_row(tokens, "STATEMENT", "SET"):
        return "flink"
    if _in_a_row(tokens, "MATERIALIZED", "VIEW"):
        return ""  # which Flink has not: its tables may be materialized
    if any("window-tvf" in query.features for query in script.queries):
        return "flink"
    if any(one.engine == "spark" for one in script.sets):
        return "spark"
    return ""


def _in_a_row(tokens: list[Token], *words: str) -> bool:
    """Whether these words stand somewhere one after the other; an empty one is any, but for the first."""
    for index in range(len(tokens) - len(words) + 1):
        if tokens[index].upper == words[0] and all(not word or tokens[index + at].upper == word for at, word in enumerate(words)):
            return True
    return False


def _emit(
    text: Text,
    out: Reading,
    script: _Script,
    parent: Block | None,
    engine: str,
    tokens: list[Token],
    alone: str,
    origin: Origin | None = None,
) -> None:
    session = _emit_session(text, out, script, parent, engine, tokens, origin)
    around = parent or session
    if engine == "flink":
        _emit_tables(text, out, script, around, origin)
        for query in script.queries:
            place, block = out.place(text.span(*query.at)), around.id if around else ""
            own = "" if query.together or query.kind != "insert" else alone
            out.facts.append(Statement(query.kind, query.target, query.sources, tuple(sorted(query.features)), place, block, own))
            out.facts += [
                Usage("keeps-state", name, out.place(text.span(*at)), block) for name, at in query.features.items() if name in KEEPING
            ]
    if script.jars:
        from shoal.readers.jars import read_jars

        for start, end in script.jars:
            read_jars(text.slice(start, end), out, around)


def _at(origin: Origin | None, at: tuple[int, int]) -> Origin | None:
    return Origin(origin.path, Span(origin.span.start + at[0], origin.span.start + at[1])) if origin is not None else None


def _emit_session(
    text: Text, out: Reading, script: _Script, parent: Block | None, engine: str, tokens: list[Token], origin: Origin | None
) -> Block | None:
    sets = [one for one in script.sets if (one.engine or engine) == engine or one.engine == "spark"]
    if parent is not None and not sets:
        return None
    if not (sets or script.tables or script.queries) or not tokens:
        return None
    first = sets[0].at if sets else (tokens[0].start, tokens[0].end)
    hidden = any(MASK in one.option.key for one in sets)
    session = out.block(sets[0].engine or engine if sets else engine, "session", "sql", text.span(*first), parent=parent, open=hidden)
    last_run = max(script.runs, default=0)
    overridden = _overridden(script)
    for one in sets:
        option = one.option
        key_span, value_span = text.span(*option.key_at), text.span(*option.value_at)
        if not one.quoted and session.engine == "flink":
            out.oddity("unquoted-set", option.key, text.span(*one.at), option.value, session, edits=_quoting(one, text, out))
        if last_run and one.order > last_run and session.engine == "flink" and option.key != _DIALECT:
            out.oddity("set-after-insert", option.key, text.span(*one.at), "no statement follows that it could apply to", session)
        if one.order in overridden:
            later = overridden[one.order]
            if later is not None and option.key != _DIALECT:
                related = (out.place(text.span(*later.option.key_at), "related", "the later one counts"),)
                out.oddity("overridden-set", option.key, key_span, option.value, session, related=related)
            continue
        comment = _comment(text.text, option.value_at[1])
        out.setting(session, option.key, option.value, key_span, value_span, comment, origin=_at(origin, option.value_at))
        if option.key in ("pipeline.jars", "pipeline.classpaths"):
            from shoal.readers.jars import read_jars

            read_jars(text.slice(*option.value_at), out, session)
    return session


def _overridden(script: _Script) -> dict[int, _Set | None]:
    """SETs that no statement ever ran with, by their order: each with the SET that replaced it, or None for a RESET."""
    events: list[tuple[int, _Set | str | None]] = [(one.order, one) for one in script.sets]
    events += [(order, key) for key, order in script.resets]
    events += [(order, None) for order in script.runs]
    result: dict[int, _Set | None] = {}
    pending: dict[str, _Set] = {}
    for _, event in sorted(events, key=lambda item: item[0]):
        if event is None:
            pending.clear()
        elif isinstance(event, str):
            for key in [event] if event else list(pending):
                if key in pending:
                    result[pending.pop(key).order] = None
        else:
            earlier = pending.get(event.option.key)
            if earlier:
                result[earlier.order] = event
            pending[event.option.key] = event
    return result


def _quoting(one: _Set, text: Text, out: Reading) -> tuple[Edit, ...]:
    option = one.option
    if "'" in option.key + option.value or MASK in option.key + option.value or "$" in option.value:
        return ()
    edits = []
    for start, end in (option.key_at, option.value_at):
        if text.text[start - 1 : start] not in "'`\"" or start == 0:
            edits.append(out.edit(text.span(start, end), f"'{text.text[start:end]}'"))
    return tuple(edits)


def _comment(source: str, end: int) -> str:
    found = _TRAILING.match(source, end)
    return found.group(1).strip() if found else ""


def bounded(connector: str, options: dict[str, str]) -> bool:
    """Whether a table is read to an end."""
    mode = options.get("scan.bounded.mode", "unbounded")
    if mode != "unbounded":
        return True
    if connector == "datagen":
        return "number-of-rows" in options or any(key.endswith(".end") for key in options)
    if connector == "filesystem":
        return "source.monitor-interval" not in options
    return connector in ("jdbc", "hbase-2.2", "hbase-1.4", "elasticsearch-6", "elasticsearch-7", "values")


def same_table(one: str, other: str) -> bool:
    """Whether two table names mean the same table; a name without catalog and database matches by its last part."""
    if one == other:
        return True
    if "." in one and "." in other:
        return one.endswith("." + other) or other.endswith("." + one)
    return one.rsplit(".", 1)[-1] == other.rsplit(".", 1)[-1]


def _shown(out: Reading, name: str, span: Span) -> str:
    """A name that an f-string makes as it stands there, up to its last braces: two masks of one length are not one table."""
    if MASK not in name:
        return name
    raw = out.raw[span.start : span.end]
    brace = raw.rfind("{")
    return raw[brace:].replace(".", "_") if brace >= 0 and raw[brace : brace + 2] != "{}" else name


def note_sides(out: Reading, written: list[str], read: list[str]) -> None:
    """What each table is to a program, source or sink: it usually creates it in one statement and reads or writes it in others.

    `written` and `read` are the tables that are so by other means than SQL.
    """
    statements = [fact for fact in out.facts if isinstance(fact, Statement)]
    written = written + [_shown(out, fact.target, fact.place.span) for fact in statements if fact.kind != "create-view" and fact.target]
    read = read + [name for fact in statements for name in fact.sources]
    for index, fact in enumerate(out.facts):
        if not isinstance(fact, Block) or fact.role != "table" or fact.form not in ("sql", "python") or fact.trait("hint") or not fact.name:
            continue
        traits = dict(fact.traits)
        own = _shown(out, fact.name, fact.place.span)
        for side, names in (("sink", written), ("source", read)):
            if any(same_table(name, own) for name in names):
                traits[side] = "true"
        if "sink" in traits and "source" not in traits:
            traits.pop("bounded", None)
        if tuple(traits.items()) != fact.traits:
            out.facts[index] = fact._replace(traits=tuple(traits.items()))
    _note_hints(out)


def _note_hints(out: Reading) -> None:
    """Puts what a hint or ALTER TABLE says in one statement to the table that another one creates, where one alone has the name."""
    tables = [fact for fact in out.facts if isinstance(fact, Block) and fact.role == "table" and not fact.trait("hint") and fact.name]
    ids = {table.id for table in tables}
    for index, fact in enumerate(out.facts):
        if isinstance(fact, Block) and fact.trait("hint") and fact.parent not in ids:
            named = [table for table in tables if same_table(fact.name, _shown(out, table.name, table.place.span))]
            if len(named) == 1:
                out.facts[index] = fact._replace(parent=named[0].id, traits=(*_inherited(named[0]), *fact.traits))


def _inherited(table: Block) -> tuple[tuple[str, str], ...]:
    """What a table tells the hints on it."""
    return tuple(trait for trait in table.traits if trait[0] in ("connector", "format", "value.format", "sink", "source"))


def _emit_tables(text: Text, out: Reading, script: _Script, around: Block | None, origin: Origin | None) -> None:
    written = {query.target.rsplit(".", 1)[-1]: query.target for query in script.queries if query.kind != "create-view" and query.target}
    read = {name.rsplit(".", 1)[-1]: name for query in script.queries for name in query.sources}
    blocks: dict[str, Block] = {}
    known: dict[str, _Table] = {}
    for table in script.tables:
        short = table.name.rsplit(".", 1)[-1]
        if table.kind == "hint":
            base = blocks.get(short)
            block = out.block(
                "flink",
                "table",
                "sql",
                text.span(*table.at),
                table.name,
                base or around,
                (*(_inherited(base) if base else ()), ("hint", "true")),
                table.open or base is None,
            )
        else:
            traits = _traits(table, known.get(table.like.rsplit(".", 1)[-1]))
            if table.kind == "table":
                traits += [("sink", "true")] if short in written and same_table(written[short], table.name) else []
                traits += [("source", "true")] if short in read and same_table(read[short], table.name) else []
            if ("sink", "true") in traits and ("source", "true") not in traits:
                traits = [trait for trait in traits if trait[0] != "bounded"]
            role = "catalog" if table.kind == "catalog" else "table"
            hidden = table.open or bool(table.like) or not table.options
            block = out.block("flink", role, "sql", text.span(*table.at), table.name, around, tuple(traits), hidden)
            if table.kind == "table":
                blocks[short], known[short] = block, table
        if table.enforced is not None and block.trait("connector"):
            first, last, of = table.enforced
            out.oddity(
                "enforced-primary-key",
                table.name,
                text.span(first, last),
                of,
                block,
                edits=(out.edit(text.span(last, last), " NOT ENFORCED"),),
            )
        if table.replaces is not None and block.trait("connector") and all(option.quoted for option in table.options):
            out.oddity("or-replace", table.name, text.span(*table.replaces), "", block)
        if table.watermark is not None and block.trait("connector"):
            out.oddity("watermark", table.name, text.span(table.watermark.start, table.watermark.end), "", block)
        if table.untimely is not None:
            column, kind = table.untimely
            out.oddity("watermark-type", text.text[column.start : column.end], text.span(column.start, column.end), kind, block)
        if block.trait("connector") and all(option.quoted for option in table.options):  # other tables may be for another engine
            for word in table.reserved:
                at = text.span(word.start, word.end)
                edits = (out.edit(at, f"`{text.text[word.start : word.end]}`"),)
                out.oddity("reserved-word", text.text[word.start : word.end], at, "", block, edits=edits)
        seen: dict[str, Span] = {}
        for option in table.options:
            key_span, value_span = text.span(*option.key_at), text.span(*option.value_at)
            # what is unpacked from somewhere above the statement is overridden on purpose
            if option.key in seen and seen[option.key].start > block.place.span.start:
                related = (out.place(seen[option.key], "related", "the earlier one"),)
                out.oddity("duplicate-key", option.key, key_span, "an option is given twice", block, related)
            seen[option.key] = key_span
            comment = _comment(text.text, option.value_at[1])
            out.setting(block, option.key, option.value, key_span, value_span, comment, origin=_at(origin, option.value_at))


def _traits(table: _Table, base: _Table | None) -> list[tuple[str, str]]:
    options = {option.key: option.value for option in table.options}
    inherited = {option.key: option.value for option in base.options} if base else {}
    traits = []
    for key, name in (
        ("connector", "connector"),
        ("connector.type", "connector"),
        ("format", "format"),
        ("value.format", "value.format"),
        ("type", "type"),
    ):
        value = options.get(key) or inherited.get(key) or ""
        if value and MASK not in value and "$" not in value and (key != "type" or table.kind == "catalog") and (name, value) not in traits:
            traits.append((name, value))
    if table.like:
        traits.append(("like", table.like))
    traits += table.traits
    if base:
        traits += [trait for trait in base.traits if trait not in traits]
    connector = next((value for name, value in traits if name == "connector"), "")
    if bounded(connector, {**inherited, **options}):
        traits.append(("bounded", "true"))
    return traits
