"""Windows in Java: which time the program goes by, and functions that are given all records of a window and make a number of them."""

from __future__ import annotations

import re

from tree_sitter import Node

from shoal.facts import Usage
from shoal.flink_time import times
from shoal.java.constants import CHANGES, ENVIRONMENT
from shoal.java.functions import STREAMS, kinds_of, own_nodes
from shoal.java.sheet import Sheet
from shoal.java.source import below, same
from shoal.lazy import pattern
from shoal.model import Span
from shoal.python.values import Known, names

_WINDOW = pattern(r"(?:Rich)?(?:Process)?(?:All)?WindowFunction")
# What a WatermarkStrategy has to make another one of itself.
_MORE_OF_A_STRATEGY = ("withTimestampAssigner", "withIdleness", "withWatermarkAlignment")
# What gives another stream and does nothing else, and what applies a function.
_ROUTES, _CHANGES = ("filter", "keyBy", "union", "rebalance", "rescale", "shuffle", "broadcast", "global"), ("map", "flatMap")
_PURE = names(
    "String Integer Long Double Float Boolean Math Objects Tuple2 Tuple3 Tuple4 Row Arrays List Collections LocalDate Instant Duration"
)
_GLOBAL = pattern(r"GlobalWindows\s*\.\s*create\(\s*\)")
_LATEST = pattern(r"(?:\w+\s*\.\s*)*OffsetsInitializer\s*\.\s*latest\(\s*\)")
# What stands between a window and its function, besides a trigger.
_BETWEEN = names("allowedLateness evictor sideOutputLateData")
_APPLIED = names("process apply reduce aggregate sum min max minBy maxBy")
# Steps behind which a stream may have watermarks that its source does not make, or that mix it with another one.
_MAY_MARK = names("assignTimestampsAndWatermarks union connect join coGroup intervalJoin transform")
_EVENT_WINDOWS = pattern(r"(?:\w+\.)*(?:(?:Tumbling|Sliding)EventTimeWindows|(?:Dynamic)?EventTimeSessionWindows)\b")
# Where the records end, the last watermark comes by itself; ingestion time has its own.
_ENDS = pattern(r"\bsetBounded\(|RuntimeExecutionMode\s*\.\s*BATCH|IngestionTime")
_OLD_CONSUMER = pattern(r"FlinkKafkaConsumer(?:0\d+)?")
_WORD = pattern(r"\w+")
_CLOCK = pattern(
    r"System\s*\.\s*currentTimeMillis\(\)|(?:\w+\.)*Instant\s*\.\s*now\(\)\s*\.\s*toEpochMilli\(\)|new\s+(?:\w+\.)*Date\(\)\s*\.\s*getTime\(\)"
)
_COMMENT = pattern(r'(?s)"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*.*?\*/')
_COUNTED = r"StreamSupport\s*\.\s*stream\(\s*{0}\s*\.\s*spliterator\(\)[^;]*\.\s*(?:count|sum|max|min|average)\(|Iterables\s*\.\s*size\(\s*{0}\s*\)"


def collect(sheet: Sheet) -> None:
    source = sheet.source
    sheet.out.facts += [Usage("time", kind, sheet.out.place(Span(start, end))) for kind, start, end in times(source.text)]
    _dropped(sheet)
    _never_fired(sheet)
    _out_of_order(sheet)
    _broadcast_from_latest(sheet)
    _without_watermarks(sheet)
    if "org.apache.flink.cep" in source.text:
        _loops(sheet)
    for method in source.methods:
        body = method.child_by_field_name("body")
        if body is None or source.name(method) not in ("process", "apply") or not any(map(_WINDOW.fullmatch, kinds_of(sheet, method))):
            continue
        elements = _elements(sheet, method)
        name, text = re.escape(elements), _COMMENT.sub(_blank, source.written(body))
        used = re.findall(
            rf"\b{name}\b(?!\s*\.\s*iterator\(\)\s*\.\s*next\()", text
        )  # its first element stands for what they have in common
        if not elements or len(used) != 1 or _after_another(sheet, method):
            continue
        counted = re.search(_COUNTED.format(name), text)
        loops = [node for node in below(body, "enhanced_for_statement") if source.written(node.child_by_field_name("value")) == elements]
        if counted is not None:
            start = body.start_byte + counted.start()
            sheet.out.oddity("window-kept", source.name(method), Span(start, body.start_byte + counted.end()), elements)
        elif loops and _only_adds(sheet, loops[0].child_by_field_name("body")):
            sheet.out.oddity("window-kept", source.name(method), source.span(loops[0].children[0]), elements)
        elif (loop := _by_iterator(sheet, body, elements)) is not None:
            sheet.out.oddity("window-kept", source.name(method), source.span(loop.children[0]), elements)
    _clock_in_place_of_event_time(sheet)


def _blank(found: re.Match[str]) -> str:
    """A comment as blanks, a text as it is."""
    return found[0] if found[0].startswith('"') else " " * len(found[0])


def _out_of_order(sheet: Sheet) -> None:
    """What a database's log gives in order, handed to all subtasks in turn: what changes a row and what ends it take different ways."""
    source = sheet.source
    if any(
        source.value(source.arguments(call)[0]) == Known(1) and source.type_of(call.child_by_field_name("object")) == ENVIRONMENT
        for call in source.named("setParallelism")
        if source.arguments(call)
    ):
        return
    for call in source.named("rebalance", "rescale", "shuffle"):
        reads = _reads(sheet, call.child_by_field_name("object"))
        made = source.arguments(reads)[:1] if reads is not None else []
        kind = source.type_of(source.origin(made[0])) if made else ""
        changes = CHANGES.get(kind.removeprefix("class:").removesuffix("Builder"), "") if kind else ""
        if changes and not source.arguments(call):
            related = (sheet.out.place(source.span(made[0]), "related", "in the order of the log"),)
            sheet.out.oddity("changes-out-of-order", source.name(call), sheet.name_span(call), changes, related=related)


def _broadcast_from_latest(sheet: Sheet) -> None:
    """Sources of a stream that is broadcast into state, which begin at the end of their topics."""
    source, said = sheet.source, set()
    starts = source.named("setStartFromLatest", "setStartingOffsets")
    for call in source.named("broadcast") if starts else ():
        reads = _reads(sheet, call.child_by_field_name("object")) if source.arguments(call) else None
        made = source.origin(source.arguments(reads)[0]) if reads is not None and source.arguments(reads) else None
        for start in starts if made is not None else ():
            given = source.arguments(start)
            if start.id in said or not same(source.origin(start.child_by_field_name("object")), made):
                continue
            if not given or _LATEST.fullmatch(source.written(given[0])):
                said.add(start.id)
                related = (sheet.out.place(sheet.name_span(call), "related", "broadcast here"),)
                sheet.out.oddity("broadcast-from-latest", source.name(start), sheet.name_span(start), related=related)


def _without_watermarks(sheet: Sheet) -> None:
    """Windows of event time, and functions with such timers, on streams of a source without watermarks to which no step adds any."""
    source = sheet.source
    if _ENDS.search(source.text):
        return
    by_setting = "TimeCharacteristic.EventTime" in source.text  # which is what decides for timeWindow
    for call in source.named("window", "windowAll", "process", *(("timeWindow", "timeWindowAll") if by_setting else ())):
        given = source.arguments(call)
        if source.name(call) == "process":
            what = "no timer of this function" if given and _has_event_timers(sheet, given[0]) else ""
        elif source.name(call).startswith("time") or (given and _EVENT_WINDOWS.match(source.written(given[0]))):
            after = call.parent
            while after is not None and after.type == "method_invocation" and source.name(after) in _BETWEEN:
                after = after.parent
            fired = after is not None and after.type == "method_invocation" and source.name(after) == "trigger"
            what = "" if fired else "no window of these"
        else:
            what = ""
        reads = _reads(sheet, call.child_by_field_name("object"), _MAY_MARK) if what else None
        why = _markless(sheet, reads) if reads is not None else ""
        if reads is not None and why:
            related = (sheet.out.place(sheet.name_span(reads), "related", why),)
            sheet.out.oddity("event-time-stands-still", what, sheet.name_span(call), why, related=related)


def _markless(sheet: Sheet, reads: Node) -> str:
    """Why a source that never ends has no watermarks; empty where it has some, or may have."""
    source, given = sheet.source, sheet.source.arguments(reads)
    if source.name(reads) == "fromSource":
        strategy = source.origin(given[1]) if len(given) > 1 and source.type_of(given[0]) in ("KafkaSource", "PulsarSource") else None
        none = strategy is not None and strategy.type == "method_invocation" and source.name(strategy) == "noWatermarks"
        return "the source is read with noWatermarks()" if none else ""
    made = source.origin(given[0]) if given else None
    if made is None or made.type != "object_creation_expression" or not _OLD_CONSUMER.fullmatch(source.type_of(made)):
        return ""
    marked = any(same(source.origin(call.child_by_field_name("object")), made) for call in source.named("assignTimestampsAndWatermarks"))
    return "" if marked else "a FlinkKafkaConsumer makes no watermarks by itself"


def _has_event_timers(sheet: Sheet, made: Node) -> bool:
    """Whether a function of this file, also one without a name, registers timers of event time, and none of the clock."""
    source = sheet.source
    kind = source.type_of(made) if made.type == "object_creation_expression" else ""
    owners = [child for child in made.named_children if kind and child.type == "class_body"] or [
        owner for owner in below(source.root, "class_declaration") if source.written(owner.child_by_field_name("name")) == kind
    ]
    body = source.written(owners[0]) if kind and len(owners) == 1 else ""
    return "registerEventTimeTimer(" in body and "registerProcessingTimeTimer(" not in body


def _reads(sheet: Sheet, node: Node | None, but: frozenset[str] = _APPLIED) -> Node | None:
    """The call that takes a source in, at the head of a chain of a stream's methods; None where one of these stands in it."""
    for _ in range(50):
        if node is None:
            return None
        if node.type == "identifier":
            declared = sheet.source.declared_by(node)
            node = sheet.source.given(declared) if declared is not None else None
        elif node.type == "method_invocation" and sheet.source.name(node) in ("fromSource", "addSource"):
            return node
        elif node.type == "method_invocation" and sheet.source.name(node) not in but:
            node = node.child_by_field_name("object")
        else:
            return None
    return None


def _dropped(sheet: Sheet) -> None:
    """Streams and strategies with timestamps or watermarks that nobody takes: the ones they are made of stay as they were."""
    source = sheet.source
    for call in source.named("assignTimestampsAndWatermarks", *_MORE_OF_A_STRATEGY):
        kind = source.type_of(call.child_by_field_name("object"))
        of = "strategy" if kind == "WatermarkStrategy" else "stream" if kind in STREAMS[1:] else ""
        if of and call.parent is not None and call.parent.type == "expression_statement":
            sheet.out.oddity("watermarks-dropped", source.name(call), sheet.name_span(call), of)
    for call in source.named(*_ROUTES, *_CHANGES):
        stands = call.parent is not None and call.parent.type == "expression_statement"
        if not stands or source.type_of(call.child_by_field_name("object")) not in STREAMS[1:]:
            continue
        if source.name(call) in _ROUTES or _only_gives(sheet, call):
            sheet.out.oddity("stream-dropped", source.name(call), sheet.name_span(call))


def _never_fired(sheet: Sheet) -> None:
    """Global windows that are given a function and no trigger, in one chain of calls."""
    source = sheet.source
    for call in source.named("window", "windowAll"):
        given = source.arguments(call)
        if not given or not _GLOBAL.fullmatch(source.written(given[0])):
            continue
        after = call.parent
        while after is not None and after.type == "method_invocation" and source.name(after) in _BETWEEN:
            after = after.parent
        if after is not None and after.type == "method_invocation" and source.name(after) in _APPLIED:
            sheet.out.oddity("window-never-fired", source.name(after), sheet.name_span(call))


def _only_gives(sheet: Sheet, call: Node) -> bool:
    """Whether a stream is given a lambda that does nothing but make records: what it calls is the record's own, or the collector's."""
    source, given = sheet.source, sheet.source.arguments(call)
    work = given[0] if given else None
    while work is not None and work.type in ("cast_expression", "parenthesized_expression"):
        work = work.child_by_field_name("value") or (work.named_children[-1] if work.named_children else None)
    if work is None or work.type != "lambda_expression":
        return False
    parameters, body = work.child_by_field_name("parameters"), work.child_by_field_name("body")
    if parameters is None or body is None or next(below(body, "object_creation_expression"), None) is not None:
        return False
    known = _PURE | set(_WORD.findall(source.written(parameters)))
    for called in below(body, "method_invocation"):
        at: Node | None = called
        while at is not None and at.type in ("method_invocation", "field_access", "parenthesized_expression"):
            at = at.named_children[0] if at.type == "parenthesized_expression" else at.child_by_field_name("object")
        if at is None or (source.written(at) not in known and at.type != "string_literal"):
            return False
    return True


def _loops(sheet: Sheet) -> None:
    """Patterns with a part that may come any number of times, which do not say what to leave out once one matched."""
    source, said = sheet.source, set()
    for call in sorted(source.named("oneOrMore", "timesOrMore"), key=lambda node: source.name_node(node).start_byte):
        begun = source.origin(call)
        if begun is None or begun.type != "method_invocation" or source.name(begun) != "begin" or begun.start_byte in said:
            continue
        if source.type_of(begun.child_by_field_name("object")) == "class:Pattern" and len(source.arguments(begun)) == 1:
            said.add(begun.start_byte)
            sheet.out.oddity("pattern-overlaps", source.name(call), sheet.name_span(call))


def _elements(sheet: Sheet, method: Node) -> str:
    parameters = method.child_by_field_name("parameters")
    for one in parameters.named_children if parameters is not None else ():
        if sheet.source.written(one.child_by_field_name("type")).startswith("Iterable"):
            return sheet.source.written(one.child_by_field_name("name"))
    return ""


def _after_another(sheet: Sheet, method: Node) -> bool:
    """Whether the function is given what an aggregate made of the window, which is one element."""
    source, owner = sheet.source, sheet.source.class_of(method)
    if owner is None:
        return True
    name = source.written(owner.child_by_field_name("name"))
    for call in source.named("aggregate", "reduce", "fold"):
        for given in source.arguments(call)[1:]:
            if given == owner or (given.type == "object_creation_expression" and source.type_of(given) == name):
                return True
    return False


def _by_iterator(sheet: Sheet, body: Node, elements: str) -> Node | None:
    """`while (it.hasNext())` over an iterator of the elements that only adds up, counts and compares."""
    source = sheet.source
    for made in below(body, "variable_declarator"):
        if re.sub(r"\s", "", source.written(made.child_by_field_name("value"))) != f"{elements}.iterator()":
            continue
        name = source.written(made.child_by_field_name("name"))
        for loop in below(body, "while_statement"):
            condition = re.sub(r"[\s()]", "", source.written(loop.child_by_field_name("condition")))
            if condition == f"{name}.hasNext" and _only_adds(sheet, loop.child_by_field_name("body"), name):
                return loop
    return None


def _only_adds(sheet: Sheet, block: Node | None, iterator: str = "") -> bool:
    """Whether a loop does no more than add up, count, compare and keep one of the values."""
    source, adds = sheet.source, False
    waiting = [block] if block is not None else []
    while waiting:
        node = waiting.pop()
        if node.type == "block":
            waiting += [child for child in node.named_children if not child.type.endswith("comment")]
        elif node.type == "if_statement":
            waiting += [part for field in ("consequence", "alternative") if (part := node.child_by_field_name(field)) is not None]
        elif node.type == "local_variable_declaration":
            continue
        elif node.type == "expression_statement" and node.named_children:
            inner = node.named_children[0]
            if inner.type == "update_expression":
                adds = True
            elif (
                inner.type == "assignment_expression"
                and (left := inner.child_by_field_name("left")) is not None
                and left.type in ("identifier", "field_access")
            ):
                right = inner.child_by_field_name("right")
                adds = (
                    adds
                    or source.written(inner.child_by_field_name("operator")) == "+="
                    or re.match(r"Math\s*\.\s*(?:max|min)\(", source.written(right)) is not None
                )
                grows = _text(sheet, left) and (
                    "+" in source.written(inner.child_by_field_name("operator")) or _names(source.written(right), left, sheet)
                )
                if right is not None and (right.type == "object_creation_expression" or grows):
                    return False
            elif not iterator or re.sub(r"[\s()]", "", source.written(inner)) != f"{iterator}.next":
                return False
        else:
            return False
    return adds


def _names(written: str, name: Node, sheet: Sheet) -> bool:
    """Whether an expression has a variable in it: a text that is made of what it was before."""
    return re.search(rf"\b{re.escape(sheet.source.written(name))}\b", written) is not None


def _clock_in_place_of_event_time(sheet: Sheet) -> None:
    """Timestamps of records that are their own where those can be read, and else the time of the clock."""
    source = sheet.source
    assigners = [given for call in source.named("withTimestampAssigner") for given in source.arguments(call)[:1]]
    made = [_gives(sheet, given) for given in assigners if given.type in ("lambda_expression", "method_reference")]
    if "TimestampAssigner" in source.text:
        made += [_gives(sheet, method) for method in source.methods if source.name(method) == "extractTimestamp"]
    said: set[int] = set()
    for values in made:
        clocks = [node for node in values if _CLOCK.fullmatch(source.written(node))]
        if clocks and len(clocks) < len(values) and clocks[-1].start_byte not in said:
            said.add(clocks[-1].start_byte)
            sheet.out.oddity("clock-as-event-time", source.written(clocks[-1]), source.span(clocks[-1]))


def _gives(sheet: Sheet, function: Node, level: int = 0) -> list[Node]:
    """The expressions that a method, a lambda, or a method that is named in place of one, may give."""
    made = sheet.source.method_referred(function) if function.type == "method_reference" else function
    body = made.child_by_field_name("body") if made is not None else None
    if body is None:
        return []
    if body.type != "block":
        return _ways(sheet, body, level)
    return [way for node in own_nodes(body, "return_statement") for part in node.named_children[:1] for way in _ways(sheet, part, level)]


def _ways(sheet: Sheet, node: Node, level: int = 0) -> list[Node]:
    """What an expression may be: both sides of a condition, and what a method of this file gives."""
    if node.type in ("parenthesized_expression", "cast_expression") and node.named_children:
        return _ways(sheet, node.named_children[-1], level)
    if node.type == "ternary_expression":
        sides = [node.child_by_field_name(name) for name in ("consequence", "alternative")]
        return [way for side in sides if side is not None for way in _ways(sheet, side, level)]
    method = sheet.source.method_called(node) if node.type == "method_invocation" and level < 2 else None
    return _gives(sheet, method, level + 1) if method is not None else [node]


def _text(sheet: Sheet, name: Node) -> bool:
    return sheet.source.type_of(name) in ("String", "StringBuilder")
