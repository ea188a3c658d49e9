"""Flink and Spark SQL: SET and RESET, table options, hints, and what each INSERT reads, writes and keeps in state."""

from __future__ import annotations

import json
from bisect import bisect
from typing import TYPE_CHECKING

from shoal.facts import Block, Origin, Statement, Usage
from shoal.lazy import pattern
from shoal.model import Span
from shoal.readers.sql_queries import ARRIVAL, AS_OF, KEEPING, ONE_END
from shoal.readers.sql_statements import Script, Set, Table, is_flink_key, parse
from shoal.readers.sql_tables import bounded, inherited, same_table
from shoal.readers.sql_tokens import Token, lex
from shoal.text import MASK
from shoal.values import dates

if TYPE_CHECKING:
    from shoal.model import Edit
    from shoal.readers import Reading
    from shoal.text import Text

_GATE = pattern(
    r"(?i)'connector|\bwatermark\s+for\b|statement\s+set\b|/\*\+\s*options|(?:^|[;\s])(?:re)?set\s|descriptor\s*\(|create\s+catalog|add\s+jar|system_time\s+as\s+of\s"
)
# The time of a column of the other side: other databases take a constant there.
_AS_OF_COLUMN = pattern(r"(?i)\bsystem_time\s+as\s+of\s+[`\w]+\s*\.\s*[`a-z_]")
_CLICKHOUSE = pattern(r"(?i)engine\s*=\s*kafka\s*\(")
_OF_DATES = frozenset({"DATE_FORMAT", "TO_TIMESTAMP", "TO_DATE", "UNIX_TIMESTAMP", "FROM_UNIXTIME"})
_DIALECT = "table.sql-dialect"  # counts for each statement behind it, also for one that runs nothing
_TRAILING = pattern(r"'?[ \t]*[,;)]*[ \t]*;?[ \t]*--[ \t]*([^\r\n]*)")
# Quotes with a backslash before them, which Flink's dialect does not have: rows of another database in which statements of Flink are kept.
_ESCAPED = pattern(r"\\'[\w.-][^'\\\n]{0,200}\\'")


def read(text: Text, out: Reading) -> None:
    """A .sql file: claimed only when it has what no dialect but Flink's (or Spark's) has."""
    if "stream" in text.text.lower():
        from shoal.readers.sql_pipelines import read_pipelines

        read_pipelines(text, out)
    if "kafka_broker_list" in text.text or _CLICKHOUSE.search(text.text):
        from shoal.readers.clickhouse_sql import read_kafka_tables

        read_kafka_tables(text, out)
    if not _GATE.search(text.text):
        return
    hashes: list[tuple[int, int]] = []
    tokens = lex(text.text, hashes)
    script = parse(text.text, tokens)
    engine = _engine(text.text, tokens, script)
    if not engine or (engine == "flink" and _ESCAPED.search(text.text)):
        return
    _emit(text, out, script, None, engine, tokens, "script")
    if engine == "flink":
        _read_hashes(text, out, script, tokens, hashes)
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
    single: bool = False,
) -> str:
    """SQL that is known to be meant for `engine`: a statement in a program, a script in a manifest or a heredoc. `alone` is that of its inserts.

    `catalog`: the one that is used before it; returns the one that is used after it. `origin`: where the text begins that another file has.
    `single`: it is handed to `execute_sql`, which takes one statement.
    """
    hashes: list[tuple[int, int]] = []
    tokens = lex(text.text, hashes)
    script = parse(text.text, tokens, catalog)
    _emit(text, out, script, parent, engine, tokens, alone, origin)
    if engine == "flink" and origin is None:
        _read_hashes(text, out, script, tokens, hashes)
        if single:
            _read_single(text, out, parent, tokens)
    return script.used[-1]


def _read_refused_columns(text: Text, out: Reading, table: Table, block: Block) -> None:
    from shoal.readers.sql_columns import FOREIGN

    for token in table.foreign:
        out.oddity("foreign-type", text.text[token.start : token.end], text.span(token.start, token.end), FOREIGN[token.upper], block)
    for token, what in table.unlisted:
        out.oddity("column-not-declared", text.text[token.start : token.end].strip("`"), text.span(token.start, token.end), what, block)


# The metadata of Kafka's records, and what formats add to it behind `value.`, read out of flink-connector-kafka 3.3.0 and flink-json 1.20.0. Others have names of their own.
_OF_KAFKA = frozenset(["topic", "partition", "headers", "leader-epoch", "offset", "timestamp", "timestamp-type"])
_OF_FORMATS = {
    **dict.fromkeys(("json", "csv", "raw"), frozenset[str]()),
    "debezium-json": frozenset(
        ["schema", "ingestion-timestamp", "source.timestamp", "source.database", "source.schema", "source.table", "source.properties"]
    ),
    "canal-json": frozenset(["database", "table", "sql-type", "pk-names", "ingestion-timestamp", "event-timestamp"]),
    "maxwell-json": frozenset(["database", "table", "primary-key-columns", "ingestion-timestamp"]),
    "ogg-json": frozenset(["table", "primary-keys", "ingestion-timestamp", "event-timestamp"]),
}


def _read_unknown_metadata(text: Text, out: Reading, table: Table, block: Block) -> None:
    """Metadata that neither Kafka's records nor their format have."""
    form = next((option.value for option in table.options if option.key in ("format", "value.format")), "")
    for column, said in table.metadata:
        key = text.text[said.start : said.end].strip("'`")
        inner = key.removeprefix("value.")
        known = key in _OF_KAFKA if inner == key else inner in _OF_FORMATS.get(form, (inner,))
        if not known and MASK not in key and "$" not in key:
            names = ", ".join(sorted(f"value.{name}" for name in _OF_FORMATS[form])) if inner != key else ", ".join(sorted(_OF_KAFKA))
            detail = json.dumps({"column": text.text[column.start : column.end].strip("`"), "names": names, "format": form})
            out.oddity("unknown-metadata", key, text.span(said.start, said.end), detail, block)


def _read_single(text: Text, out: Reading, block: Block | None, tokens: list[Token]) -> None:
    """What is more than one statement, or one that only the SQL client knows (1.20.1 was run)."""
    words = [token.upper for token in tokens[:3]]
    if words[:1] in (["SET"], ["RESET"]) or words == ["BEGIN", "STATEMENT", "SET"]:
        subject = words[0] if words[0] != "BEGIN" else "BEGIN STATEMENT SET"
        out.oddity("client-statement", subject, text.span(tokens[0].start, tokens[min(len(words), len(tokens)) - 1].end), "", block)
        return
    if "BEGIN" in words or words[:2] == ["EXECUTE", "STATEMENT"]:
        return
    ends = [index for index, token in enumerate(tokens) if token.kind == "mark" and token.upper == ";"]
    more = next((tokens[index + 1] for index in ends if index + 1 < len(tokens) and tokens[index + 1].upper != ";"), None)
    if more is not None and more.kind == "word":
        out.oddity("several-statements", more.upper, text.span(more.start, more.end), "", block)


def _read_hashes(text: Text, out: Reading, script: Script, tokens: list[Token], hashes: list[tuple[int, int]]) -> None:
    """The first line with `#` before or in a statement of Flink's own; before others it may be a note in a file that nobody runs whole."""
    if not hashes:
        return
    ends = [token.start for token in tokens if token.upper == ";"]
    ours = [one.at[0] for one in script.sets if one.engine == "flink"]
    ours += [table.at[0] for table in script.tables if any(option.quoted for option in table.options)]
    ours += [query.at[0] for query in script.queries if script.tables]
    ours.sort()
    for start, stop in hashes:
        behind = bisect(ends, start)
        since, until = ends[behind - 1] if behind else -1, ends[behind] if behind < len(ends) else len(text.text)
        first = bisect(ours, since)
        if first < len(ours) and ours[first] < until:
            out.oddity("hash-comment", text.text[start:stop].strip(), text.span(start, stop))
            return


def _engine(source: str, tokens: list[Token], script: Script) -> str:
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
    if _AS_OF_COLUMN.search(source) and any(name.startswith(AS_OF) for query in script.queries for name in query.features):
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
    script: Script,
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
            as_of = {name: at for name, at in query.features.items() if name.startswith(AS_OF)}
            features = tuple(sorted(query.features.keys() - {ARRIVAL, *ONE_END, *as_of}))
            out.facts.append(Statement(query.kind, query.target, query.sources, features, place, block, own))
            if at := query.features.get(ARRIVAL):
                out.facts.append(Usage("by-arrival", text.slice(*at).text.upper(), out.place(text.span(*at)), block))
            out.facts += [
                Usage("one-end-of-window", end, out.place(text.span(*query.features[end])), block)
                for end in ONE_END & query.features.keys()
            ]
            out.facts += [Usage("joined-as-of", name.removeprefix(AS_OF), out.place(text.span(*at)), block) for name, at in as_of.items()]
            if query.kind == "insert" and query.given:
                out.facts.append(Usage("inserts", f"{query.given} {query.listed} {query.target}", place, block))
            out.facts += [
                Usage("keeps-state", name, out.place(text.span(*at)), block) for name, at in query.features.items() if name in KEEPING
            ]
        out.facts += [Usage("columns-altered", name, around.place) for name in script.altered if around is not None]
        out.facts += _date_patterns(text, out, tokens, around.id if around else "")
    if script.jars:
        from shoal.readers.jars import read_jars

        for start, end in script.jars:
            read_jars(text.slice(start, end), out, around)


def _date_patterns(text: Text, out: Reading, tokens: list[Token], block: str) -> list[Usage]:
    """Texts in calls of functions of dates that are patterns with the letter of something else."""
    found = []
    for index, token in enumerate(tokens):
        if token.upper not in _OF_DATES or index + 1 >= len(tokens) or tokens[index + 1].upper != "(":
            continue
        depth = 0
        for at in tokens[index + 1 :]:
            depth += (at.upper == "(") - (at.upper == ")")
            if not depth:
                break
            given = text.text[at.start : at.end].strip() if at.kind == "string" and depth == 1 else ""
            if given and (detail := dates.told("flink", token.upper, given.strip("'"))):
                found.append(Usage("date-pattern", detail, out.place(text.span(at.end - len(given), at.end)), block))
    return found


def _at(origin: Origin | None, at: tuple[int, int]) -> Origin | None:
    return Origin(origin.path, Span(origin.span.start + at[0], origin.span.start + at[1])) if origin is not None else None


def _emit_session(
    text: Text, out: Reading, script: Script, parent: Block | None, engine: str, tokens: list[Token], origin: Origin | None
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


def _overridden(script: Script) -> dict[int, Set | None]:
    """SETs that no statement ever ran with, by their order: each with the SET that replaced it, or None for a RESET."""
    events: list[tuple[int, Set | str | None]] = [(one.order, one) for one in script.sets]
    events += [(order, key) for key, order in script.resets]
    events += [(order, None) for order in script.runs]
    result: dict[int, Set | None] = {}
    pending: dict[str, Set] = {}
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


def _quoting(one: Set, text: Text, out: Reading) -> tuple[Edit, ...]:
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


def _emit_tables(text: Text, out: Reading, script: Script, around: Block | None, origin: Origin | None) -> None:
    written = {query.target.rsplit(".", 1)[-1]: query.target for query in script.queries if query.kind != "create-view" and query.target}
    read = {name.rsplit(".", 1)[-1]: name for query in script.queries for name in query.sources}
    blocks: dict[str, Block] = {}
    known: dict[str, Table] = {}
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
                (*(inherited(base) if base else ()), ("hint", "true")),
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
        if table.kind == "table" and block.trait("connector") and not table.like and all(option.quoted for option in table.options):
            _read_refused_columns(text, out, table, block)
            if block.trait("connector") in ("kafka", "upsert-kafka"):
                _read_unknown_metadata(text, out, table, block)
        if table.untimely is not None:
            column, kind = table.untimely
            out.oddity("watermark-type", text.text[column.start : column.end], text.span(column.start, column.end), kind, block)
        if block.trait("connector") and all(option.quoted for option in table.options):  # other tables may be for another engine
            for word in table.reserved:
                at = text.span(word.start, word.end)
                edits = (out.edit(at, f"`{text.text[word.start : word.end]}`"),)
                out.oddity("reserved-word", text.text[word.start : word.end], at, "", block, edits=edits)
            for word in table.whole:
                out.oddity("whole-decimal", text.text[word.start : word.end], text.span(word.start, word.end), "", block)
        if block.trait("connector") == "kafka" and _reads_sql_times(table):
            columns = [(text.text[word.start : word.end].strip("`"), word, timely) for word, timely in table.physical]
            for name, word, timely in columns:
                if timely:
                    detail = json.dumps({"column": name, "columns": [name for name, _, _ in columns]})
                    out.facts.append(Usage("sql-time", detail, out.place(text.span(word.start, word.end)), block.id))
        if block.trait("connector") == "kafka" and any(
            option.key in ("format", "value.format") and option.value == "json" for option in table.options
        ):
            names = [text.text[word.start : word.end].strip("`") for word, _ in table.physical]
            for word, column in table.read_as_sql:
                said = {"column": text.text[column.start : column.end].strip("`"), "columns": names, "by": word.upper}
                out.facts.append(Usage("sql-time", json.dumps(said), out.place(text.span(word.start, word.end)), block.id))
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


def _reads_sql_times(table: Table) -> bool:
    """Whether the times in a table's records are surely read as SQL writes them, with a space between date and time: the default of the format json."""
    options = {option.key: option.value for option in table.options}
    form = options.get("format") or options.get("value.format")
    return form == "json" and not table.open and not table.like and not any(key.endswith("timestamp-format.standard") for key in options)


def _traits(table: Table, base: Table | None) -> list[tuple[str, str]]:
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
