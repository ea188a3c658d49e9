"""What a query reads, and what in it needs state: grouping, joins, windows. One pass over its tokens."""

from __future__ import annotations

from collections.abc import Callable

from shoal.lazy import pattern
from shoal.readers.sql_tokens import Token, closing, path_at, unquote
from shoal.text import MASK

_WINDOWS = frozenset({"TUMBLE", "HOP", "CUMULATE", "SESSION"})
_WINDOW_COLUMNS = frozenset(
    {f"{window}_{part}" for window in ("WINDOW", "TUMBLE", "HOP", "SESSION") for part in ("START", "END", "TIME", "ROWTIME", "PROCTIME")}
)
# Unquoted words that stand where a table's name could, but are none.
_NO_TABLE = frozenset({"LATERAL", "TABLE", "UNNEST", "VALUES", "SELECT", "ROWS", "MATCH_RECOGNIZE"})


Features = dict[str, tuple[int, int]]  # and where the first of each stands
# Aggregates that go by the order in which rows come.
_FIRST_TO_COME = frozenset({"FIRST_VALUE", "LAST_VALUE"})
# What keeps state for as long as the job runs, unless something else bounds it.
KEEPING = frozenset({"regular-join", "group-by", "select-distinct", "aggregate-distinct", "row-number"})

# What they give has at most some hundred values.
_FEW = frozenset({"HOUR", "MINUTE", "SECOND", "MONTH", "QUARTER", "WEEK", "DAYOFWEEK", "DAYOFMONTH", "DAYOFYEAR"})


# What depends on the order in which the rows of a window come; no feature of a statement.
ARRIVAL = "arrival-in-window"
# What a GROUP BY over a window table function asks for, and a join of windows: both. Of a GROUP BY with one of them that one is noted, which is no feature of a statement.
ONE_END = frozenset({"WINDOW_START", "WINDOW_END"})
# A window function over a query of WITH whose join makes plain timestamps of the time attributes.
OVER_JOIN = "window-over-join"
# Names of columns that are no time: two streams whose times are equal, or in an order, are joined by these, and keep them.
_KEY = pattern(r"(?i)(?:.*_)?(?:id|key|code|symbol|uuid|name)|\w+Id")
_TIME = pattern(r"(?i).*(?:time|date).*|(?:.*_)?(?:ts|rt|at)")
# Before the name of a table that is joined as of a time: no feature of a statement.
AS_OF = "as-of "


class _Join:
    __slots__ = ("at", "bounded", "columns", "ends", "lateral", "table", "temporal", "times", "windowed")

    def __init__(self, at: tuple[int, int]) -> None:
        self.at = at
        self.table = ""
        self.ends: set[str] = set()  # of windows, as its condition names them
        self.columns: set[str] = set()  # and what else its condition names
        self.times = 0  # how often it names what sounds like a time
        self.temporal = self.lateral = self.bounded = self.windowed = False


class _Level:
    """One nesting level of a query: what clause it is in and what it has seen."""

    __slots__ = (
        "arrival",
        "bounded",
        "clause",
        "ends",
        "expect",
        "filtered",
        "group",
        "group_at",
        "joins",
        "met",
        "name",
        "select",
        "timeless",
        "windowed",
    )

    def __init__(self, name: str = "") -> None:
        self.name = name  # of a query of WITH
        self.timeless: bool | None = None  # whether a join took the time attributes; False: it makes a new one, or the join may go by time
        self.select = False
        self.arrival: tuple[int, int] | None = None  # an aggregate that goes by the order of arrival
        self.clause = ""
        self.expect = False  # a table may follow
        self.joins: list[_Join] = []
        self.group: bool | None = None  # None: no GROUP BY; else whether it is over a window
        self.group_at = (0, 0)
        self.ends: set[str] = set()  # of a window, as GROUP BY names them
        self.met: set[str] = set()  # of windows, as WHERE names them
        self.filtered = False  # WHERE bounds time
        self.bounded = self.windowed = False  # of a bracket that is no query: handed to the level around it


def analyse(source: str, tokens: list[Token], hint: Callable[[Token, str], bool]) -> tuple[tuple[str, ...], Features]:
    """The tables a query reads and the features that need state, in one pass over its tokens."""
    sources: dict[str, None] = {}
    features: Features = {}
    ctes: set[str] = set()
    joined: set[str] = set()  # queries of WITH that have no time attribute any more
    grouped: list[tuple[int, int]] = []
    levels = [_Level()]
    index = few = 0
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
            name = path_at(source, tokens, before)[0] if before < index else ""
            if hint(token, name):
                features.setdefault("state-ttl-hint", (token.start, token.end))
        elif token.kind == "mark":
            if upper == "(":
                if level.clause == "from" and level.expect:
                    level.expect = False
                named_query = index > 1 and tokens[index - 1].upper == "AS" and tokens[index - 2].kind in ("word", "name")
                levels.append(_Level(unquote(tokens[index - 2], source)[0] if named_query else ""))
            elif upper == ")":
                if len(levels) > 1:
                    inner = levels.pop()
                    if inner.select:
                        _finish(inner, features, grouped)
                        if inner.name and inner.timeless:
                            joined.add(inner.name)
                    else:
                        _note(levels[-1], inner.bounded, inner.windowed)
            elif upper == "," and level.clause == "from" and level.select:
                level.expect = True
                level.joins.append(_Join((token.start, token.end)))
        elif token.kind in ("word", "name"):
            if level.expect and level.select:
                index = _source(source, tokens, index, level, sources, features, joined)
                continue
            if level.clause in ("group", "on", "where"):
                named = upper if token.kind == "word" else unquote(token, source)[0].upper()
                _compared(level, named, following)
                if level.clause == "group":
                    level.ends.add(named)
                elif named in ONE_END:
                    (level.joins[-1].ends if level.clause == "on" and level.joins else level.met).add(named)
            if token.kind == "word":
                if upper == "AS" and following == "(" and index and tokens[index - 1].kind in ("word", "name"):
                    ctes.add(unquote(tokens[index - 1], source)[0])
                _word(token, following, tokens[index - 1].upper if index else "", level, features, grouped)
                if upper == "GROUP" and following == "BY" and _few_groups(tokens, index + 2):
                    few += 1
                if upper in _FIRST_TO_COME and following == "(" and not _over(tokens, index + 1):
                    query = next((one for one in reversed(levels) if one.select), level)
                    query.arrival = query.arrival or (token.start, token.end)
                if upper == "ORDER" and following == "BY" and len(levels) == 1 and level.select:
                    features["order-by"] = (token.start, token.end)
                elif upper in ("LIMIT", "FETCH", "OFFSET") and len(levels) == 1:
                    features.pop("order-by", None)
        index += 1
    while levels:
        inner = levels.pop()
        if inner.select:
            _finish(inner, features, grouped)
    if grouped and not features.keys() & {"window-tvf", "group-window"}:
        features["group-by"] = grouped[0]
        if few == len(grouped):
            features["few-groups"] = grouped[0]
    features.pop("group-window", None)
    return tuple(name for name in sources if name not in ctes), features


def _compared(level: _Level, named: str, following: str) -> None:
    """A word of a condition: the column of a join, or in WHERE one that sounds like a time, by which the streams may be joined as well."""
    if following == ".":
        return  # the name of a table
    if (
        level.clause == "on"
        and level.joins
        and named not in ("ON", "AND", "JOIN", "LEFT", "INNER", "OUTER", "RIGHT", "FULL", "WHERE", "GROUP")
    ):
        level.joins[-1].columns.add(named)
        level.joins[-1].times += _TIME.fullmatch(named) is not None
    elif level.clause == "where" and _TIME.fullmatch(named):
        level.timeless = False


def _few_groups(tokens: list[Token], index: int) -> bool:
    """Whether what is grouped by has a handful of values, however long the stream goes on: hours of the day, days of the week."""
    while index + 1 < len(tokens) and tokens[index].upper in _FEW and tokens[index + 1].upper == "(":
        index = closing(tokens, index + 1) + 1
        if index >= len(tokens) or tokens[index].upper != ",":
            return True
        index += 1
    return False


def _over(tokens: list[Token], opening: int) -> bool:
    """Whether OVER follows the bracket that is opened here: a function of rows that are in an order."""
    after = closing(tokens, opening) + 1
    return after < len(tokens) and tokens[after].upper == "OVER"


def _word(token: Token, following: str, before: str, level: _Level, features: Features, grouped: list[tuple[int, int]]) -> None:
    upper, at = token.upper, (token.start, token.end)
    if upper == "SELECT":
        if level.select:
            _finish(level, features, grouped)
        level.select, level.clause = True, "select"
        if following == "DISTINCT":
            features.setdefault("select-distinct", at)
    elif upper == "DISTINCT":
        if before == "(":
            features.setdefault("aggregate-distinct", at)
    elif upper == "FROM":
        if level.select and level.clause == "select" and before != "DISTINCT":
            level.clause, level.expect = "from", True
    elif upper == "JOIN":
        level.clause, level.expect = "from", True
        level.joins.append(_Join(at))
    elif upper == "ON" and level.clause == "from":
        level.clause = "on"
    elif upper == "WHERE":
        level.clause = "where"
    elif upper == "GROUP" and following == "BY":
        level.clause, level.group, level.group_at, level.ends = "group", False, at, set()
    elif upper in ("HAVING", "ORDER", "LIMIT", "QUALIFY"):
        level.clause = "rest"
    elif upper in ("UNION", "EXCEPT", "INTERSECT", "MINUS"):
        _finish(level, features, grouped)
        if upper != "UNION" or following != "ALL":
            features.setdefault("set-operation", at)
    elif upper == "PROCTIME" and following == "(":
        level.timeless = False
    elif upper == "INTERVAL":
        _note(level, True, False)
    elif upper in _WINDOW_COLUMNS:
        _note(level, False, True)
    elif upper in _WINDOWS and following == "(":
        features.setdefault("window-tvf" if level.clause == "" else "group-window", at)
        _note(level, False, True)
    elif upper == "OVER" and following in ("(", "W", "WIN", "WINDOW"):
        features.setdefault("over", at)
    elif upper == "ROW_NUMBER":
        features.setdefault("row-number", at)
    elif upper == "MATCH_RECOGNIZE":
        features.setdefault("match-recognize", at)
    elif upper == "SYSTEM_TIME" and level.joins:
        level.joins[-1].temporal = True
        if level.joins[-1].table:
            features.setdefault(AS_OF + level.joins[-1].table, at)


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


def _source(
    source: str, tokens: list[Token], index: int, level: _Level, sources: dict[str, None], features: Features, joined: set[str]
) -> int:
    """Take the table that stands at `index` after FROM, JOIN or a comma; the index to go on from."""
    level.expect = False
    upper = tokens[index].upper
    windowed = upper in _WINDOWS and index + 1 < len(tokens) and tokens[index + 1].upper == "("
    if windowed:
        features.setdefault("window-tvf", (tokens[index].start, tokens[index].end))
    if tokens[index].kind == "word" and (upper in _NO_TABLE or windowed):
        if level.joins:
            level.joins[-1].lateral = True
        close = index + 1
        # TABLE(TUMBLE(TABLE t, …)): the table stands inside
        while close < len(tokens) and close - index < 8 and (tokens[close].upper in _NO_TABLE | _WINDOWS or tokens[close].upper == "("):
            if tokens[close].upper == "TABLE" and tokens[close + 1 : close + 2] and tokens[close + 1].kind in ("word", "name"):
                name, _ = path_at(source, tokens, close + 1)
                sources.setdefault(name)
                if name in joined and any(token.upper in _WINDOWS for token in tokens[index:close]):
                    features.setdefault(OVER_JOIN, (tokens[close].start, tokens[close].end))
                if level.joins:
                    level.joins[-1].lateral = False
                break
            close += 1
        return index + 1
    name, after = path_at(source, tokens, index)
    if after < len(tokens) and tokens[after].upper == "(" and after == index + 1 and tokens[index].kind == "word":
        if level.joins:
            level.joins[-1].lateral = True
        return after
    if MASK not in name:
        sources.setdefault(name)
        if level.joins:
            level.joins[-1].table = name
    return max(after, index + 1)


def _finish(level: _Level, features: Features, grouped: list[tuple[int, int]]) -> None:
    """Close one SELECT: name its joins and its grouping."""
    for join in level.joins:
        if join.temporal:
            name = "temporal-join"
        elif join.lateral:
            name = "lateral-join"
        elif join.bounded or level.filtered:
            name = "interval-join"
        elif join.windowed and not (join.ends and len(join.ends | level.met) == 1):
            name = "window-join"
        else:
            name = "regular-join"
            if level.timeless is None and join.columns and all(_KEY.fullmatch(column) for column in join.columns):
                level.timeless = True
            if join.windowed:
                features.setdefault("one-end-join", join.at)
            if join.times > 1:
                features.setdefault("times-join", join.at)
        features.setdefault(name, join.at)
    ends = level.ends & ONE_END
    if level.group is True and "window-tvf" in features and len(ends) == 1 and not any(MASK in name for name in level.ends):
        features.setdefault(min(ends), level.group_at)
        features.setdefault("group-by", level.group_at)
    elif level.group is True:
        features.setdefault("windowed-group-by", level.group_at)
        if level.arrival:
            features.setdefault(ARRIVAL, level.arrival)
    elif level.group is False:
        grouped.append(level.group_at)
    level.joins, level.group, level.filtered, level.select, level.clause = [], None, False, False, ""
    level.expect, level.arrival, level.ends, level.met = False, None, set(), set()
