"""Flink and Spark SQL: SET and RESET, table options, hints, and what each INSERT reads, writes and keeps in state.

The lexer is our own: sqlparse takes a backslash before a quote for an escape and `# ` for a comment, neither of which is so in
Flink's or Spark's SQL (`'C:\\'` is a whole string), and costs 20 ms to import.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from shoal.text import MASK

if TYPE_CHECKING:
    from shoal.facts import Block
    from shoal.model import Edit, Span
    from shoal.readers import Reading
    from shoal.text import Text

_GATE = re.compile(
    r"(?i)'connector|\bwatermark\s+for\b|statement\s+set\b|/\*\+\s*options|(?:^|[;\s])(?:re)?set\s|descriptor\s*\(|create\s+catalog|add\s+jar"
)
_TOKEN = re.compile(
    rf"""[\s\x00]*(?:
      (?P<word>[^\W\d][\w{MASK}$]*|{MASK}[\w{MASK}$]*)
    | (?P<string>'[^']*(?:''[^']*)*'?)
    | (?P<name>`[^`]*(?:``[^`]*)*`?|"[^"]*(?:""[^"]*)*"?)
    | (?P<line>--[^\r\n]*)
    | (?P<block>/\*)
    | (?P<number>\d[\w.]*)
    | (?P<mark>[^\s\x00])
    )""",
    re.VERBOSE,
)
_TRAILING = re.compile(r"'?[ \t]*[,;)]*[ \t]*;?[ \t]*--[ \t]*([^\r\n]*)")
_WINDOWS = frozenset({"TUMBLE", "HOP", "CUMULATE", "SESSION"})
_WINDOW_COLUMNS = frozenset(
    {f"{window}_{part}" for window in ("WINDOW", "TUMBLE", "HOP", "SESSION") for part in ("START", "END", "TIME", "ROWTIME", "PROCTIME")}
)
# Unquoted words that stand where a table's name could, but are none.
_NO_TABLE = frozenset({"LATERAL", "TABLE", "UNNEST", "VALUES", "SELECT", "ROWS", "MATCH_RECOGNIZE"})


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


class _Query(NamedTuple):
    kind: str
    target: str
    sources: tuple[str, ...]
    features: tuple[str, ...]
    at: tuple[int, int]


class _Script(NamedTuple):
    sets: list[_Set]
    resets: list[tuple[str, int]]
    tables: list[_Table]
    queries: list[_Query]
    runs: list[int]  # order numbers of statements that start a job
    jars: list[tuple[int, int]]
    unclosed: int


def read(text: Text, out: Reading) -> None:
    """A .sql file: claimed only when it has what no dialect but Flink's (or Spark's) has."""
    if not _GATE.search(text.text):
        return
    tokens = lex(text.text)
    script = _parse(text.text, tokens)
    engine = _engine(text.text, tokens, script)
    if not engine:
        return
    _emit(text, out, script, None, engine, tokens)
    if script.unclosed >= 0 and not out.templated:
        out.problem(
            "unparsable",
            "a quote that is opened here is never closed",
            text.at(script.unclosed),
            "close the string; what follows was not read",
        )


def read_sql(text: Text, out: Reading, parent: Block | None = None, engine: str = "flink") -> None:
    """SQL that is known to be meant for `engine`: a statement in a program, a script in a manifest or a heredoc."""
    tokens = lex(text.text)
    _emit(text, out, _parse(text.text, tokens), parent, engine, tokens)


def lex(source: str) -> list[Token]:
    """Tokens without white space and comments; a hint (`/*+ … */`) is one token. Never fails; linear in the text's length."""
    tokens: list[Token] = []
    at = 0
    match = _TOKEN.match
    while True:
        found = match(source, at)
        if found is None:
            return tokens
        kind = found.lastgroup or ""
        start, at = found.start(kind), found.end()
        if kind == "line":
            continue
        if kind == "block":
            close = source.find("*/", at)
            at = len(source) if close == -1 else close + 2
            if source[start + 2 : start + 3] == "+":
                tokens.append(Token("hint", start, at, ""))
            continue
        upper = source[start:at]
        tokens.append(Token(kind, start, at, upper.upper() if kind == "word" else upper))


def is_flink_key(key: str) -> bool:
    """Whether a key's first part is one that Flink's options begin with."""
    from shoal.readers.conf_text import ROOTS

    return "." in key and key.split(".")[0].lower() in ROOTS


# ---------------------------------------------------------------- parsing


def _parse(source: str, tokens: list[Token]) -> _Script:
    script = _Script([], [], [], [], [], [], _unclosed(source, tokens))
    start = 0
    order = 0
    for index, token in enumerate(tokens):
        if token.upper == ";" and token.kind == "mark":
            if index > start:
                order += 1
                _statement(source, tokens[start:index], order, script)
            start = index + 1
    if start < len(tokens):
        _statement(source, tokens[start:], order + 1, script)
    return script


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
        sources, features = _analyse(source, tokens, script)
        script.queries.append(_Query("select", "", sources, features, (tokens[0].start, tokens[0].end)))
    elif first == "ALTER":
        _alter(source, tokens, script)
    elif first == "ADD" and tokens[1:] and tokens[1].upper in ("JAR", "JARS"):
        script.jars.append((tokens[1].end, tokens[-1].end))


def _plain(source: str, tokens: list[Token]) -> str:
    """What a few tokens say, without quotes."""
    if len(tokens) == 1:
        return _unquote(tokens[0], source)[0]
    return "".join(source[token.start : token.end] for token in tokens)


def _unquote(token: Token, source: str) -> tuple[str, tuple[int, int]]:
    """A string's or name's content and where it stands, inside the quotes."""
    raw = source[token.start : token.end]
    if token.kind not in ("string", "name"):
        return raw, (token.start, token.end)
    quote = raw[0]
    closed = len(raw) > 1 and raw[-1] == quote
    end = token.end - 1 if closed else token.end
    return source[token.start + 1 : end].replace(quote * 2, quote), (token.start + 1, end)


def _set(source: str, tokens: list[Token], order: int, script: _Script) -> None:
    equals = next((index for index, token in enumerate(tokens[:40]) if token.upper == "=" and token.kind == "mark"), 0)
    if equals < 2:
        return
    whole = (tokens[0].start, tokens[-1].end)
    keyed, valued = tokens[1:equals], tokens[equals + 1 :]
    if len(keyed) == 1 and keyed[0].kind in ("string", "name"):
        key, key_at = _unquote(keyed[0], source)
    else:
        key_at = (keyed[0].start, keyed[-1].end)
        key = source[key_at[0] : key_at[1]]
        if re.search(r"\s", key):
            return
    if not valued:
        at = tokens[equals].end
        value, value_at = "", (at, at)
    elif len(valued) == 1:
        value, value_at = _unquote(valued[0], source)
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


def _path(source: str, tokens: list[Token], index: int) -> tuple[str, int]:
    """A dotted name at `index` and the index after it; an empty name when none stands there."""
    parts = []
    while index < len(tokens) and tokens[index].kind in ("word", "name"):
        parts.append(_unquote(tokens[index], source)[0])
        index += 1
        if index + 1 < len(tokens) and tokens[index].upper == "." and tokens[index + 1].kind in ("word", "name"):
            index += 1
        else:
            break
    return ".".join(parts), index


def _close(tokens: list[Token], index: int) -> int:
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
    name, index = _path(source, tokens, index)
    if not name:
        return
    at = (tokens[start].start, tokens[index - 1].end)
    traits: list[tuple[str, str]] = []
    options: list[Option] = []
    opened = False
    like = ""
    while index < len(tokens):
        token = tokens[index]
        if token.upper == "(" and token.kind == "mark":
            close = _close(tokens, index)
            if what == "TABLE" and tokens[index - 1].upper not in ("BY", "INTO", "HASH", "RANGE"):
                traits += _columns(tokens, index, close)
            index = close + 1
        elif token.upper == "WITH" and tokens[index + 1 : index + 2] and tokens[index + 1].upper == "(":
            close = _close(tokens, index + 1)
            found, hidden = _options(source, tokens[index + 2 : close])
            options += found
            opened = opened or hidden
            index = close + 1
        elif token.upper == "WITH" and tokens[index + 1 : index + 2] and MASK in tokens[index + 1].upper:
            opened = True
            index += 2
        elif token.upper == "LIKE" and token.kind == "word":
            like, index = _path(source, tokens, index + 1)
        elif token.upper == "AS" and token.kind == "word":
            sources, features = _analyse(source, tokens[index + 1 :], script)
            kind = "create-view" if what == "VIEW" else "create-table-as"
            if what != "VIEW":
                script.runs.append(order)
            script.queries.append(_Query(kind, name, sources, features, at))
            break
        else:
            opened = opened or (MASK in token.upper and token.kind == "word")
            index += 1
    if what != "VIEW":
        script.tables.append(_Table(name, at, options, traits, opened, what.lower(), like))


def _columns(tokens: list[Token], start: int, end: int) -> list[tuple[str, str]]:
    traits = []
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
            elif upper == "PRIMARY" and following == "KEY":
                traits.append(("has-primary-key", "true"))
            elif upper == "PROCTIME" and following == "(":
                traits.append(("has-proctime", "true"))
    return list(dict.fromkeys(traits))


def _options(source: str, tokens: list[Token]) -> tuple[list[Option], bool]:
    """`'k' = 'v', …`, and whether some of it cannot be seen (a mask where an option should be)."""
    found: list[Option] = []
    hidden = False
    index = 0
    while index < len(tokens):
        token = tokens[index]
        if token.kind == "string" or token.kind == "name" or (token.kind == "word" and MASK not in token.upper):
            key, key_at = _unquote(token, source)
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
                value, value_at = _unquote(tokens[after + 1], source)
                found.append(Option(key, value, key_at, value_at, token.kind == "string"))
                hidden = hidden or MASK in key
                index = after + 2
                continue
        hidden = hidden or MASK in token.upper
        index += 1
    return found, hidden


def _insert(source: str, tokens: list[Token], script: _Script) -> None:
    index = 1
    while index < len(tokens) and tokens[index].upper in ("INTO", "OVERWRITE", "TABLE"):
        index += 1
    target, after = _path(source, tokens, index)
    if not target:
        return
    at = (tokens[0].start, tokens[after - 1].end)
    if after < len(tokens) and tokens[after].kind == "hint":
        _hint(source, tokens[after], target, script)
        after += 1
    sources, features = _analyse(source, tokens[after:], script)
    script.queries.append(_Query("insert", target, sources, features, at))


def _alter(source: str, tokens: list[Token], script: _Script) -> None:
    """ALTER TABLE t SET ('k' = 'v'): more options of a table."""
    if len(tokens) < 5 or tokens[1].upper != "TABLE":
        return
    index = 4 if tokens[2].upper == "IF" else 2
    start = index
    name, index = _path(source, tokens, index)
    if name and index + 1 < len(tokens) and tokens[index].upper == "SET" and tokens[index + 1].upper == "(":
        options, hidden = _options(source, tokens[index + 2 : _close(tokens, index + 1)])
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
            options, hidden = _options(source, inner[index + 2 : _close(inner, index + 1)])
            if options:
                script.tables.append(_Table(table, (token.start, token.end), options, [], hidden, "hint", ""))
    return any(word.upper == "STATE_TTL" for word in inner)


# ---------------------------------------------------------------- queries


class _Join:
    __slots__ = ("bounded", "lateral", "temporal", "windowed")

    def __init__(self) -> None:
        self.temporal = self.lateral = self.bounded = self.windowed = False


class _Level:
    """One nesting level of a query: what clause it is in and what it has seen."""

    __slots__ = ("bounded", "clause", "expect", "filtered", "group", "joins", "select", "windowed")

    def __init__(self) -> None:
        self.select = False
        self.clause = ""
        self.expect = False  # a table may follow
        self.joins: list[_Join] = []
        self.group: bool | None = None  # None: no GROUP BY; else whether it is over a window
        self.filtered = False  # WHERE bounds time
        self.bounded = self.windowed = False  # of a bracket that is no query: handed to the level around it


def _analyse(source: str, tokens: list[Token], script: _Script) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The tables a query reads and the features that need state, in one pass over its tokens."""
    sources: dict[str, None] = {}
    features: set[str] = set()
    ctes: set[str] = set()
    grouped = [False]
    levels = [_Level()]
    index = 0
    count = len(tokens)
    while index < count:
        token = tokens[index]
        upper = token.upper
        level = levels[-1]
        following = tokens[index + 1].upper if index + 1 < count else ""
        if token.kind == "hint":
            before = index
            while before > 0 and (tokens[before - 1].kind in ("word", "name") or tokens[before - 1].upper == ".") and index - before < 7:
                before -= 1
                if tokens[before].upper != "." and (before == 0 or tokens[before - 1].upper != "."):
                    break
            name = _path(source, tokens, before)[0] if before < index else ""
            if _hint(source, token, name, script):
                features.add("state-ttl-hint")
        elif token.kind == "mark":
            if upper == "(":
                if level.clause == "from" and level.expect:
                    level.expect = False
                levels.append(_Level())
            elif upper == ")":
                if len(levels) > 1:
                    inner = levels.pop()
                    if inner.select:
                        _finish(inner, features, grouped)
                    else:
                        _note(levels[-1], inner.bounded, inner.windowed)
            elif upper == "," and level.clause == "from" and level.select:
                level.expect = True
                level.joins.append(_Join())
        elif token.kind in ("word", "name"):
            if level.expect and level.select:
                index = _source(source, tokens, index, level, sources, features)
                continue
            if token.kind == "word":
                if upper == "AS" and following == "(" and index and tokens[index - 1].kind in ("word", "name"):
                    ctes.add(_unquote(tokens[index - 1], source)[0])
                _word(upper, following, tokens[index - 1].upper if index else "", level, features, grouped)
        index += 1
    while levels:
        inner = levels.pop()
        if inner.select:
            _finish(inner, features, grouped)
    if grouped[0] and not features & {"window-tvf", "group-window"}:
        features.add("group-by")
    features.discard("group-window")
    return tuple(name for name in sources if name not in ctes), tuple(sorted(features))


def _word(upper: str, following: str, before: str, level: _Level, features: set[str], grouped: list[bool]) -> None:
    if upper == "SELECT":
        if level.select:
            _finish(level, features, grouped)
        level.select, level.clause = True, "select"
        if following == "DISTINCT":
            features.add("select-distinct")
    elif upper == "DISTINCT":
        if before == "(":
            features.add("aggregate-distinct")
    elif upper == "FROM":
        if level.select and level.clause == "select" and before != "DISTINCT":
            level.clause, level.expect = "from", True
    elif upper == "JOIN":
        level.clause, level.expect = "from", True
        level.joins.append(_Join())
    elif upper == "ON" and level.clause == "from":
        level.clause = "on"
    elif upper == "WHERE":
        level.clause = "where"
    elif upper == "GROUP" and following == "BY":
        level.clause, level.group = "group", False
    elif upper in ("HAVING", "ORDER", "LIMIT", "QUALIFY"):
        level.clause = "rest"
    elif upper in ("UNION", "EXCEPT", "INTERSECT", "MINUS"):
        _finish(level, features, grouped)
        if upper != "UNION" or following != "ALL":
            features.add("set-operation")
    elif upper == "INTERVAL":
        _note(level, True, False)
    elif upper in _WINDOW_COLUMNS:
        _note(level, False, True)
    elif upper in _WINDOWS and following == "(":
        features.add("window-tvf" if level.clause == "" else "group-window")
        _note(level, False, True)
    elif upper == "OVER" and following in ("(", "W", "WIN", "WINDOW"):
        features.add("over")
    elif upper == "ROW_NUMBER":
        features.add("row-number")
    elif upper == "MATCH_RECOGNIZE":
        features.add("match-recognize")
    elif upper == "SYSTEM_TIME" and level.joins:
        level.joins[-1].temporal = True


def _note(level: _Level, bounded: bool, windowed: bool) -> None:
    """Something bounds time, or names a window, in the clause a level is in."""
    if not level.select:
        level.bounded = level.bounded or bounded
        level.windowed = level.windowed or windowed
    elif level.clause == "on" and level.joins:
        level.joins[-1].bounded |= bounded
        level.joins[-1].windowed |= windowed
    elif level.clause == "where":
        level.filtered |= bounded
    elif level.clause == "group" and windowed:
        level.group = True


def _source(source: str, tokens: list[Token], index: int, level: _Level, sources: dict[str, None], features: set[str]) -> int:
    """Take the table that stands at `index` after FROM, JOIN or a comma; the index to go on from."""
    level.expect = False
    upper = tokens[index].upper
    windowed = upper in _WINDOWS and index + 1 < len(tokens) and tokens[index + 1].upper == "("
    if windowed:
        features.add("window-tvf")
    if tokens[index].kind == "word" and (upper in _NO_TABLE or windowed):
        if level.joins:
            level.joins[-1].lateral = True
        close = index + 1
        # TABLE(TUMBLE(TABLE t, …)): the table stands inside
        while close < len(tokens) and close - index < 8 and (tokens[close].upper in _NO_TABLE | _WINDOWS or tokens[close].upper == "("):
            if tokens[close].upper == "TABLE" and tokens[close + 1 : close + 2] and tokens[close + 1].kind in ("word", "name"):
                name, _ = _path(source, tokens, close + 1)
                sources.setdefault(name)
                if level.joins:
                    level.joins[-1].lateral = False
                break
            close += 1
        return index + 1
    name, after = _path(source, tokens, index)
    if after < len(tokens) and tokens[after].upper == "(" and after == index + 1 and tokens[index].kind == "word":
        if level.joins:
            level.joins[-1].lateral = True
        return after
    if MASK not in name:
        sources.setdefault(name)
    return max(after, index + 1)


def _finish(level: _Level, features: set[str], grouped: list[bool]) -> None:
    """Close one SELECT: name its joins and its grouping."""
    for join in level.joins:
        if join.temporal:
            features.add("temporal-join")
        elif join.lateral:
            features.add("lateral-join")
        elif join.bounded or level.filtered:
            features.add("interval-join")
        elif join.windowed:
            features.add("window-join")
        else:
            features.add("regular-join")
    if level.group is True:
        features.add("windowed-group-by")
    elif level.group is False:
        grouped[0] = True
    level.joins, level.group, level.filtered, level.select, level.clause = [], None, False, False, ""
    level.expect = False


# ---------------------------------------------------------------- facts


def _engine(source: str, tokens: list[Token], script: _Script) -> str:
    """`flink`, `spark`, or an empty text when nothing shows which dialect this is."""
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
    if any(token.upper == "STATEMENT" and tokens[index + 1].upper == "SET" for index, token in enumerate(tokens[:-1])):
        return "flink"
    if any("window-tvf" in query.features for query in script.queries):
        return "flink"
    if any(one.engine == "spark" for one in script.sets):
        return "spark"
    return ""


def _emit(text: Text, out: Reading, script: _Script, parent: Block | None, engine: str, tokens: list[Token]) -> None:
    session = _emit_session(text, out, script, parent, engine, tokens)
    around = parent or session
    if engine == "flink":
        _emit_tables(text, out, script, around)
        for query in script.queries:
            from shoal.facts import Statement

            place = out.place(text.span(*query.at))
            out.facts.append(Statement(query.kind, query.target, query.sources, query.features, place, around.id if around else ""))
    if script.jars:
        from shoal.readers.jars import read_jars

        for start, end in script.jars:
            read_jars(text.slice(start, end), out, around)


def _emit_session(text: Text, out: Reading, script: _Script, parent: Block | None, engine: str, tokens: list[Token]) -> Block | None:
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
        if last_run and one.order > last_run and session.engine == "flink":
            out.oddity("set-after-insert", option.key, text.span(*one.at), "no statement follows that it could apply to", session)
        if one.order in overridden:
            later = overridden[one.order]
            if later is not None:
                related = (out.place(text.span(*later.option.key_at), "related", "the later one counts"),)
                out.oddity("overridden-set", option.key, key_span, option.value, session, related=related)
            continue
        out.setting(session, option.key, option.value, key_span, value_span, _comment(text.text, option.value_at[1]))
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


def _bounded(connector: str, options: dict[str, str]) -> bool:
    mode = options.get("scan.bounded.mode", "unbounded")
    if mode != "unbounded":
        return True
    if connector == "datagen":
        return "number-of-rows" in options or any(key.endswith(".end") for key in options)
    if connector == "filesystem":
        return "source.monitor-interval" not in options
    return connector in ("jdbc", "hbase-2.2", "hbase-1.4", "elasticsearch-6", "elasticsearch-7", "values")


def _matches(one: str, other: str) -> bool:
    """Whether two table names mean the same table; a name without catalog and database matches by its last part."""
    if one == other:
        return True
    if "." in one and "." in other:
        return one.endswith("." + other) or other.endswith("." + one)
    return one.rsplit(".", 1)[-1] == other.rsplit(".", 1)[-1]


def _emit_tables(text: Text, out: Reading, script: _Script, around: Block | None) -> None:
    written = {query.target.rsplit(".", 1)[-1]: query.target for query in script.queries if query.kind != "create-view" and query.target}
    read = {name.rsplit(".", 1)[-1]: name for query in script.queries for name in query.sources}
    blocks: dict[str, Block] = {}
    known: dict[str, _Table] = {}
    for table in script.tables:
        short = table.name.rsplit(".", 1)[-1]
        if table.kind == "hint":
            base = blocks.get(short)
            inherited = (
                tuple(trait for trait in base.traits if trait[0] in ("connector", "format", "value.format", "sink", "source"))
                if base
                else ()
            )
            block = out.block(
                "flink",
                "table",
                "sql",
                text.span(*table.at),
                table.name,
                base or around,
                (*inherited, ("hint", "true")),
                table.open or base is None,
            )
        else:
            traits = _traits(table, known.get(table.like.rsplit(".", 1)[-1]))
            if table.kind == "table":
                traits += [("sink", "true")] if short in written and _matches(written[short], table.name) else []
                traits += [("source", "true")] if short in read and _matches(read[short], table.name) else []
            if ("sink", "true") in traits and ("source", "true") not in traits:
                traits = [trait for trait in traits if trait[0] != "bounded"]
            role = "catalog" if table.kind == "catalog" else "table"
            hidden = table.open or bool(table.like) or not table.options
            block = out.block("flink", role, "sql", text.span(*table.at), table.name, around, tuple(traits), hidden)
            if table.kind == "table":
                blocks[short], known[short] = block, table
        seen: dict[str, Span] = {}
        for option in table.options:
            key_span, value_span = text.span(*option.key_at), text.span(*option.value_at)
            if option.key in seen:
                related = (out.place(seen[option.key], "related", "the earlier one"),)
                out.oddity("duplicate-key", option.key, key_span, "an option is given twice", block, related)
            seen[option.key] = key_span
            out.setting(block, option.key, option.value, key_span, value_span, _comment(text.text, option.value_at[1]))


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
    if _bounded(connector, {**inherited, **options}):
        traits.append(("bounded", "true"))
    return traits
