"""What operators written in Java do that stalls a job, by way of the modules on each matter.

Everything here runs on the one thread of a task, which also handles barriers, timers and watermarks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from shoal.facts import Block, Usage
from shoal.java.constants import ENVIRONMENT
from shoal.java.functions import ENDING, METHODS, OF_SQL, OPERATOR, STREAMS, around, kinds_of, with_helpers
from shoal.java.futures import retries_that_outlast, unfinished_futures
from shoal.java.records import fails_the_job, parses, rethrown, thrown_on
from shoal.java.requests import first_request, in_common_pool, unbounded_request
from shoal.java.sheet import Sheet
from shoal.java.source import begins, below, same
from shoal.java.state import DESCRIPTORS, changed_in_place, generic_types, why_it_grows
from shoal.java.threads import threads_per_record, workers_left
from shoal.java.timers import cleared_early, deleted_timers, set_by_clock
from shoal.java.values import unit_of
from shoal.java.waits import unbounded_waits
from shoal.lazy import pattern
from shoal.python.values import Known, names

# What gives something else at each call.
_CHANGES = {
    "Math": names("random"),
    "System": names("nanoTime currentTimeMillis"),
    "UUID": names("randomUUID"),
    **dict.fromkeys(("Instant", "LocalDateTime", "LocalTime", "ZonedDateTime", "OffsetDateTime"), names("now")),
    "ThreadLocalRandom": names("current"),
}
# What gives an operator that may be given a uid, and what is said of one before.
_OPERATORS = names(
    "fromSource addSource process map flatMap filter reduce aggregate apply union sinkTo addSink assignTimestampsAndWatermarks name returns"
    " setParallelism setMaxParallelism unorderedWait orderedWait unorderedWaitWithRetry orderedWaitWithRetry"
)
# What is another value at each record, or nearly; a `LocalDate` is the same for a day.
_NOW = pattern(
    r"(?:new\s+(?:java\.(?:sql|util)\.)?(?:Date|Timestamp)\(\s*(?:System\.currentTimeMillis\(\))?\s*\)|System\.(?:currentTimeMillis|nanoTime)\(\)"
    r"|(?:Instant|LocalDateTime|ZonedDateTime|OffsetDateTime)\.now\(.*\)|UUID\.randomUUID\(\)(?:\.toString\(\))?)"
)
_GETTER = pattern(r"(?:\w+::|(\w+)\s*->\s*\1\s*\.\s*)get([A-Z]\w*)(?:\(\))?")
_WINDOWED = pattern(r"\.\s*window\(\s*(?:Tumble|Slide|Session)\b")
_FORMATS = names("forRowFormat forBulkFormat")
_BATCHED = pattern(r"(?:new\s+)?(?:JdbcExecutionOptions\b|(?:Elasticsearch\d?|Opensearch\d?)Sink(?:Builder|\s*\.\s*Builder)\b)")


def collect(sheet: Sheet) -> None:
    source = sheet.source
    job = next((fact.id for fact in sheet.out.facts if isinstance(fact, Block) and fact.role == "job"), "")

    def add(kind: str, detail: str, node: Node) -> None:
        sheet.out.facts.append(Usage(kind, detail, sheet.out.place(source.span(node)), job))

    changed_in_place(sheet)
    for call in source.calls:
        name, owner, given = source.name(call), source.type_of(call.child_by_field_name("object")), source.arguments(call)
        if owner == "class:AsyncDataStream" and len(given) >= 4:
            wait = _millis(sheet, given[2], given[3])
            if wait and wait > 0:
                add("async-timeout", str(wait), given[2])
                retries_that_outlast(sheet, call, given, wait)
            elif wait is not None:
                sheet.out.oddity("async-timeout-off", name, source.span(given[2]))
            room = source.value(given[4]) if len(given) > 4 else None
            if isinstance(room, Known) and type(room.value) is int:
                add("async-capacity", str(room.value), given[4])
        elif name == "socketTextStream" and owner in (ENVIRONMENT, "") and given:
            sheet.out.oddity("socket-source", name, sheet.name_span(call))
        elif name in _FORMATS and owner in ("class:FileSink", "class:StreamingFileSink"):
            add("file-sink", owner[6:], source.name_node(call))
        elif name in ENDING and owner == ENVIRONMENT:
            add("bounded-input", name, source.name_node(call))
        elif name in ("firstValue", "lastValue") and not given and _of_window(sheet, call):
            add("by-arrival", name, source.name_node(call))
        elif name == "keyBy" and given and given[0].type == "lambda_expression" and owner in STREAMS:
            body = given[0].child_by_field_name("body")
            if body is not None and isinstance(source.value(body), Known):
                sheet.out.oddity("constant-key", name, sheet.name_span(call))
            _changing_keys(sheet, given[0])
        elif name == "keyBy" and given and given[0].type == "object_creation_expression" and owner in STREAMS:
            _changing_keys(sheet, given[0])
        elif parses(sheet, call) and fails_the_job(sheet, call):
            add("unguarded-parse", f"flink:{name}", thrown_on(call) or source.name_node(call))
        if name == "keyBy" and given and owner in STREAMS and (moment := _moment(sheet, call, given[0])) is not None:
            sheet.out.oddity("clock-as-key", source.written(given[0]), sheet.name_span(call), source.written(moment))
    for node, named in sorted(generic_types(sheet), key=lambda one: one[0].start_byte):
        add("generic-type", named, node)
    for call in source.named("ignoreParseErrors", "setIgnoreParseErrors"):
        given = source.arguments(call)
        if not given or source.value(given[0]) == Known(True):
            sheet.out.oddity("parse-errors-ignored", source.name(call), sheet.name_span(call))
    for throw in rethrown(sheet):
        add("unguarded-parse", "flink:deserialize", throw)
    for call in source.named("readFile"):
        for node in source.arguments(call):
            if source.written(node).rpartition(".")[2] == "PROCESS_CONTINUOUSLY":
                sheet.out.oddity("file-watched", source.name(call), source.span(node))
    for call in source.named("withBatchSize", "setBulkFlushMaxActions"):
        given = source.arguments(call)
        built = _BATCHED.match(source.written(source.origin(call)))
        if built and given and source.value(given[0]) == Known(1):
            sheet.out.oddity("batch-of-one", source.name(call), source.span(given[0]), "row" if "Jdbc" in built.group() else "document")
    for call in source.named("uid"):
        before = call.child_by_field_name("object")
        made = before is not None and before.type == "method_invocation" and source.name(before) in _OPERATORS
        if len(given := source.arguments(call)) == 1 and (made or source.type_of(before) in (*STREAMS[1:], "DataStreamSink")):
            _named_anew(sheet, "operator", given[0])
    for node, size in _batches(sheet):
        add("rows-waiting", str(size), node)
    lasting = not re.search(r"StateTtlConfig|enableTimeToLive", source.text)
    for node in source.news:
        kind, owned = source.type_of(node), source.class_of(node)
        if DESCRIPTORS.fullmatch(kind):
            where = node.child_by_field_name("type") or node
            add("keyed-state", kind, where)
            if given := source.arguments(node):
                _named_anew(sheet, "state", given[0])
            kinds = kinds_of(sheet, node)
            keyed = any(map(OPERATOR.fullmatch, kinds)) and not any("Broadcast" in kind or kind == "CheckpointedFunction" for kind in kinds)
            if lasting and keyed and owned is not None and (grows := why_it_grows(sheet, node, owned, kinds)):
                sheet.out.oddity("state-never-cleared", kind, source.span(where), grows)
    for owned in source.classes if "new Thread(" in source.text else ():
        threads_per_record(sheet, owned)
    set_by_clock(sheet)
    looked_at: set[int] = set()
    for method in source.methods:
        body = method.child_by_field_name("body")
        name = source.name(method)
        if body is None or not (name in METHODS or name in ("timeout", "open", "eval")):
            continue
        kinds = kinds_of(sheet, method)
        if name == "eval" and any(map(OF_SQL.fullmatch, kinds)):
            for run in with_helpers(sheet, body, looked_at):
                unbounded_waits(sheet, run, name)
                unbounded_request(sheet, run, name)
                if not any(kind.startswith("Async") for kind in kinds):
                    first_request(sheet, run, name)
        if any(kind.endswith("AsyncFunction") for kind in kinds) and name in ("asyncInvoke", "timeout"):
            unfinished_futures(sheet, method, body)
        if name in METHODS and any(OPERATOR.fullmatch(kind) for kind in kinds):
            for run in with_helpers(sheet, body, looked_at):
                unbounded_waits(sheet, run, name)
                unbounded_request(sheet, run, name)
                if not any("Sink" in kind for kind in kinds):
                    first_request(sheet, run, name)
                if name == "asyncInvoke":
                    in_common_pool(sheet, run, name)
            if name == "onTimer":
                deleted_timers(sheet, method, body)
                cleared_early(sheet, method, body)
        elif name == "open" and any(kind.startswith("Rich") or kind.endswith("ProcessFunction") for kind in kinds):
            workers_left(sheet, method, body)


def _of_window(sheet: Sheet, call: Node) -> bool:
    """Whether a call is made on a column of a table, in a method that groups tables by windows."""
    source, first = sheet.source, begins(call)
    column = first.parent if first.type == "identifier" else first  # what `$("price")` begins with is the call itself
    method = source.method_of(call)
    return (
        column is not None
        and column.type == "method_invocation"
        and source.name(column) in ("$", "col")
        and "org.apache.flink.table.api." in source.text
        and method is not None
        and _WINDOWED.search(source.written(method)) is not None
    )


# What takes a value for the case that there is none.
_OR_ELSE = frozenset({"getOrDefault", "get", "getProperty", "orElse", "orElseGet", "requireNonNullElse", "firstNonNull", "defaultIfEmpty"})


def _changing_keys(sheet: Sheet, selector: Node) -> None:
    """What a key is made of that is another one each time: Flink asks for a record's key where it is sent, and again where it has arrived."""
    for call in _changing(sheet, selector):
        sheet.out.oddity("changing-key", sheet.source.written(call).partition("(")[0], sheet.name_span(call))


def _changing(sheet: Sheet, node: Node) -> Iterator[Node]:
    """The calls within a node that give something else each time."""
    source = sheet.source
    for call in below(node, "method_invocation"):
        owner, name = call.child_by_field_name("object"), source.name(call)
        kind = source.type_of(owner).removeprefix("class:") or source.written(owner).rpartition(".")[2]
        if name in _CHANGES.get(kind, ()) or (kind.endswith("Random") and (name.startswith("next") or name == "ints")):
            yield call


def _named_anew(sheet: Sheet, what: str, node: Node) -> None:
    """A state, or the uid of an operator, whose name has a part that is another one at each start."""
    source = sheet.source
    parts = [
        node,
        *(declared.value for one in below(node, "identifier") if (declared := source.declared_by(one)) is not None and declared.value),
    ]
    changing = next((call for part in parts for call in _changing(sheet, part) if not _by_default(sheet, call, part)), None)
    if changing is not None:
        sheet.out.oddity("named-anew", what, source.span(node), source.written(changing).partition("(")[0])


def _by_default(sheet: Sheet, call: Node, top: Node) -> bool:
    """Whether a call is made only where nothing else is given: `options.getOrDefault(UID.key(), UUID.randomUUID().toString())`."""
    return any(
        one.type == "ternary_expression" or (one.type == "method_invocation" and sheet.source.name(one) in _OR_ELSE)
        for one in (*around(call, top), top)
    )


def _moment(sheet: Sheet, call: Node, selector: Node) -> Node | None:
    """The clock that is read in `map(record -> { day = new Date(System.currentTimeMillis()); … return new Total(day, …); }).keyBy(Total::getDay)`.

    A `Date`, that of `java.sql` too, is equal to another one of the same millisecond alone.
    """
    source = sheet.source
    getter = _GETTER.fullmatch(source.written(selector))
    mapped = call.child_by_field_name("object")
    given = (
        source.arguments(mapped)
        if getter and mapped is not None and mapped.type == "method_invocation" and source.name(mapped) == "map"
        else []
    )
    if getter is None or len(given) != 1 or given[0].type != "lambda_expression":
        return None
    wanted = getter[2][0].lower() + getter[2][1:]
    for made in below(given[0], "variable_declarator"):
        value = made.child_by_field_name("value")
        if value is None or source.written(made.child_by_field_name("name")) != wanted or not _NOW.fullmatch(source.written(value)):
            continue
        if any(source.written(part) == wanted for new in below(given[0], "object_creation_expression") for part in source.arguments(new)):
            return value
    return None


def _batches(sheet: Sheet) -> Iterator[tuple[Node, int]]:
    """How many rows or documents a sink collects that no interval writes, and where that is said.

    By default there is no interval: of JDBC's 5000 rows, and of the 1000 documents of Elasticsearch's and OpenSearch's sinks.
    """
    source = sheet.source
    for made in (*source.named("builder"), *source.news):
        built = _BATCHED.match(source.written(made))
        if built is None:
            continue
        jdbc = "Jdbc" in built.group()
        sizes, intervals = ("withBatchSize", "withBatchIntervalMs") if jdbc else ("setBulkFlushMaxActions", "setBulkFlushInterval")
        calls = [call for call in source.named(sizes, intervals) if same(source.origin(call), made)]
        given = {source.name(call): (call, source.arguments(call)) for call in calls}
        interval = source.value(given[intervals][1][0]) if intervals in given else Known(0)
        call, arguments = given.get(sizes, (made, []))
        size = source.value(arguments[0]) if arguments else Known(5000 if jdbc else 1000)
        if interval == Known(0) and isinstance(size, Known) and isinstance(size.value, int) and size.value > 1:
            yield source.name_node(call) if arguments else made, size.value
    for call in source.named("sink"):
        if source.type_of(call.child_by_field_name("object")) == "class:JdbcSink" and len(source.arguments(call)) == 3:
            yield source.name_node(call), 5000


def _millis(sheet: Sheet, node: Node, unit: Node) -> int | None:
    """A length of time that a number and a `TimeUnit` say, in milliseconds; None when it is not known."""
    value, length = sheet.source.value(node), unit_of(sheet.source, unit)
    return int(value.value * length) if length and isinstance(value, Known) and isinstance(value.value, (int, float)) else None
