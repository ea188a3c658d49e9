"""What is lost without a failure in Java: records whose exception an operator only logs, sources that end in a handler, and what waits in a source's own queue."""

from __future__ import annotations

import re

from tree_sitter import Node

from shoal.java.functions import (
    EVERYTHING,
    METHODS,
    OF_SQL,
    OPERATOR,
    SOURCE,
    applied,
    following,
    kinds_of,
    leaves,
    loop_around,
    of_elements,
    own_nodes,
    statements_of,
    with_helpers,
)
from shoal.java.records import handlers_of_schemas
from shoal.java.sheet import Sheet
from shoal.java.source import begins, below
from shoal.java.writes import OF_RECORDS, RETRIES, gives_nothing, inside_handler, logs, only_logs, writes
from shoal.lazy import pattern
from shoal.python.values import names

_READERS = pattern(rf"SourceReader|{SOURCE.pattern}")
# What says that something outside may have failed, and not the record: the exception, or what is called.
_OUTSIDE = pattern(
    r"\b(?:S3|Sdk|Aws|Amazon|SQL|Mongo|Redis|Jedis|Http|Rest|Elastic|Status|Timeout|Connect|Socket|Execution|Dynamo|Kafka|Cassandra)\w*Exception"
)
_CALLED = pattern(r"(?i)\b\w*(?:client|connection|statement|jedis|redis|repository|service|dao|resttemplate|http)\s*\.\s*\w+\(")
_PARSES = pattern(
    r"(?i)\b(?:read(?:Value|Tree)|from\w*(?:json|string|bytes)|parse\w*|deserialize\w*|decode\w*|split|as(?:Text|Int|Long|Double))\s*\("
)
_COUNTS = pattern(r"\b(?:inc|increment|increase|mark|incrementAndGet|getAndIncrement|addAndGet|count)\(|\+\+")
_CONNECTS = pattern(r"(?i)\b\w*(?:connect|subscribe|open|createChannel|login|consume|newConsumer|seek|assign)\w*\s*\(")
_QUEUES = pattern(
    r"LinkedBlocking(?:Queue|Deque)|ConcurrentLinked(?:Queue|Deque)|LinkedTransferQueue|ArrayDeque|LinkedList|PriorityBlockingQueue"
)
_FILLED = pattern(r"add|addLast|offer|offerLast|put|putLast")
_TAKEN = pattern(r"poll\w*|take\w*|drainTo|remove")
_CALLBACKS = pattern(r"on[A-Z]\w*|messageArrived|handle[A-Z]\w*|received?\w*|message|accept")
_AT_ONCE = names("forEach map filter ifPresent computeIfAbsent flatMap peek")  # what runs a lambda before it returns
_NOTHING = pattern(r'null|new\s+byte\s*\[\s*(?:0\s*\]|\]\s*\{\s*\})|""\.getBytes\(.*\)')
_HANDED = pattern(r"\.\s*(?:collect|output|collectWithTimestamp)\s*\(")


def collect(sheet: Sheet) -> None:
    source = sheet.source
    looked_at: set[int] = set()
    for method in source.methods:
        body, name = method.child_by_field_name("body"), source.name(method)
        if body is None:
            continue
        kinds = kinds_of(sheet, method) if name in METHODS or name in ("start", "run", "eval") else []
        if (
            any(map((OF_SQL if name == "eval" else OPERATOR).fullmatch, kinds))
            and source.written(method.child_by_field_name("type")) == "String"
        ):
            _answered(sheet, body, name)
        if name in ("start", "run") and any(map(_READERS.fullmatch, kinds)):
            _reader(sheet, body, name)
        elif name not in METHODS or not any(map(OPERATOR.fullmatch, kinds)) or any("Async" in kind or "Sink" in kind for kind in kinds):
            continue
        elif not gives_nothing(sheet, method, body):
            for run in with_helpers(sheet, body, looked_at):
                _dropped(sheet, run, name, run == body)
    for work in source.lambdas:
        body = work.child_by_field_name("body")
        if body is not None and body.type == "block" and (name := applied(sheet, work)):
            _dropped(sheet, body, name, True, writing=True)
    for clause in handlers_of_schemas(sheet):
        inner = clause.child_by_field_name("body")
        if inner is not None and only_logs(sheet, inner, answers=True) is False:
            gives = next(own_nodes(inner, "return_statement"), clause.children[0])
            sheet.out.oddity("record-skipped", "deserialize", source.span(gives))
    for method in source.methods if "SerializationSchema" in source.text else ():
        _emptied(sheet, method)
    for node in source.news:
        _queue(sheet, node)


def _answered(sheet: Sheet, body: Node, name: str) -> None:
    """Handlers of everything that give the text of what they caught for a result."""
    source = sheet.source
    for clause in own_nodes(body, "catch_clause"):
        caught, inner = source.written(clause.named_children[0]), clause.child_by_field_name("body")
        last = statements_of(inner)[-1:] if inner is not None else []
        gives = last[0].named_children[0] if last and last[0].type == "return_statement" and last[0].named_children else None
        if gives is None or not EVERYTHING.search(caught) or gives.type not in ("method_invocation", "binary_expression"):
            continue
        told = rf"\b{re.escape(caught.split()[-1])}\s*(?:\.\s*(?:getMessage|getLocalizedMessage|toString)\(|$)"
        plain = gives.type == "binary_expression" or source.written(begins(gives)) in (caught.split()[-1], "String")
        if plain and re.search(told, source.written(gives)):
            sheet.out.oddity("error-as-result", name, source.span(gives))


def _emptied(sheet: Sheet, method: Node) -> None:
    """A handler in a `serialize` after which the schema answers with nothing, or with no bytes: the sink sends that, or, without a message, nothing."""
    source, body = sheet.source, method.child_by_field_name("body")
    gives = source.written(method.child_by_field_name("type"))
    if body is None or source.name(method) != "serialize" or not (gives == "byte[]" or gives.startswith("ProducerRecord<")):
        return
    if not any(kind.endswith("SerializationSchema") for kind in kinds_of(sheet, method)):
        return
    for clause in own_nodes(body, "catch_clause"):
        attempt, inner = clause.parent, clause.child_by_field_name("body")
        if attempt is None or inner is None or inside_handler(clause, body):
            continue
        leaves_it = next(own_nodes(inner, "return_statement"), None)
        rest = [node for node in inner.named_children if node != leaves_it]
        given = leaves_it or next((node for node in following(attempt, body) if node.type == "return_statement"), None)
        value = given.named_children[0] if given is not None and given.named_children else None
        if value is not None and value.type == "identifier" and (declared := source.declaration(source.written(value), value)) is not None:
            inside = all(attempt.start_byte < node.start_byte < clause.start_byte for node in source.assigned(declared))
            value = declared.value if inside else None
        if value is not None and _NOTHING.fullmatch(source.written(value)) and all(logs(sheet, node) is not None for node in rest):
            if gives != "byte[]":
                what = "is left out by the sink, which sends nothing for null (that of 1.15 ends with a NullPointerException)"
            elif value.type == "null_literal":
                what = "goes out as a message without a value, which is a delete where a topic is compacted"
            else:
                what = "goes out as an empty message"
            sheet.out.oddity("record-emptied", "serialize", source.span(clause.children[0]), what)


def of_beam(sheet: Sheet) -> None:
    """The same of elements, in the methods that a `DoFn` of Beam's has for them."""
    for method, body in of_elements(sheet):
        _dropped(sheet, body, sheet.source.name(method), True, "element")


def _dropped(sheet: Sheet, body: Node, name: str, entry: bool, what: str = "record", writing: bool = False) -> None:
    """Handlers around all that a method does with a record, which then goes nowhere; `what` the engine calls it.

    `writing`: where it writes as well, of which `writes` says nothing.
    """
    source = sheet.source
    said: set[int] = set()
    for clause in reversed(list(own_nodes(body, "catch_clause"))):
        attempt, inner = clause.parent, clause.child_by_field_name("body")
        guarded = attempt.child_by_field_name("body") if attempt is not None else None
        if attempt is None or inner is None or guarded is None or attempt.start_byte in said or inside_handler(clause, body):
            continue
        if OF_RECORDS.search(source.written(clause.named_children[0])) or any(
            list(below(node, "throw_statement")) for node in following(attempt, body)
        ):
            continue
        logged = only_logs(sheet, inner, answers=True)
        loop = loop_around(clause, body)
        if logged is None or (loop is not None and RETRIES.search(source.text[loop.start_byte : attempt.start_byte])):
            continue
        inside = _gives(sheet, guarded, entry) and not _elsewhere(sheet, body, attempt)
        # what is made in the block is given on behind it, which the handler leaves out
        behind = leaves(inner) and attempt.parent == body and _HANDED.search(source.text[attempt.end_byte : body.end_byte]) is not None
        before = _HANDED.search(source.text[body.start_byte : attempt.start_byte])
        if not (inside or (behind and before is None)) or (not writing and any(writes(sheet, guarded))):
            continue
        said.add(attempt.start_byte)
        counted = _COUNTS.search(source.written(inner)) is not None
        parsed = _PARSES.search(source.written(guarded)) is not None
        if not (parsed and (counted or name == "filter")):  # what does not parse is none of those that are looked for
            outside = _OUTSIDE.search(source.written(clause.named_children[0])) or _CALLED.search(source.written(guarded))
            sure = entry and loop is None and not counted and not parsed and outside
            how = "logged and dropped" if logged else "dropped without a word"
            sheet.out.oddity(f"{what}-dropped" if sure else f"{what}-maybe-dropped", name, source.span(clause.children[0]), how)


def _gives(sheet: Sheet, block: Node, entry: bool) -> bool:
    """Whether a block gives the record on: to a collector, or as what the method returns."""
    if _HANDED.search(sheet.source.written(block)):
        return True
    return entry and any(_answer(sheet, node) for node in own_nodes(block, "return_statement"))


def _answer(sheet: Sheet, node: Node) -> bool:
    return bool(node.named_children) and sheet.source.written(node.named_children[0]) not in ("null", "false")


def _elsewhere(sheet: Sheet, body: Node, attempt: Node) -> bool:
    """Whether anything is given on outside of a `try`: the record then goes on without what failed."""
    text = sheet.source.text
    if _HANDED.search(text[body.start_byte : attempt.start_byte] + text[attempt.end_byte : body.end_byte]):
        return True
    outside = [node for node in own_nodes(body, "return_statement") if not attempt.start_byte <= node.start_byte < attempt.end_byte]
    return any(_answer(sheet, node) for node in outside)


def _reader(sheet: Sheet, body: Node, name: str) -> None:
    """A handler around all that a source does to connect, or around the loop that reads."""
    source = sheet.source
    for clause in own_nodes(body, "catch_clause"):
        attempt, inner = clause.parent, clause.child_by_field_name("body")
        guarded = attempt.child_by_field_name("body") if attempt is not None else None
        if attempt is None or inner is None or guarded is None or attempt.parent != body or only_logs(sheet, inner) is None:
            continue
        caught = source.written(clause.named_children[0])
        if re.search(r"\bInterrupted\w*|\bWakeup\w*", caught) or any(
            list(below(node, "throw_statement")) for node in following(attempt, body)
        ):
            continue
        reads = any(list(below(guarded, kind)) for kind in ("while_statement", "for_statement", "enhanced_for_statement", "do_statement"))
        if name == "run" and reads:
            sheet.out.oddity(
                "source-error-swallowed", name, source.span(clause.children[0]), "the source ends as if there were no more input"
            )
        elif name == "start" and _CONNECTS.search(source.written(guarded)):
            sheet.out.oddity(
                "source-error-swallowed", name, source.span(clause.children[0]), "the job is shown as running, and reads nothing"
            )


# -- queues


def _queue(sheet: Sheet, made: Node) -> None:
    """A queue without a bound that a source's callback fills and the source empties."""
    source = sheet.source
    kind = source.type_of(made)
    bounded = kind.startswith("LinkedBlocking") and bool(source.arguments(made))
    if bounded or not _QUEUES.fullmatch(kind) or not any(map(_READERS.fullmatch, kinds_of(sheet, made))):
        return
    name = source.kept_as(made)
    calls = [call for call in source.calls if name and source.written(call.child_by_field_name("object")).removeprefix("this.") == name]
    filled = any(_FILLED.fullmatch(source.name(call)) and _by_callback(sheet, call) for call in calls)
    if filled and any(_TAKEN.fullmatch(source.name(call)) for call in calls):
        sheet.out.oddity("unbounded-queue", name, source.span(made.child_by_field_name("type") or made), kind)


def _by_callback(sheet: Sheet, call: Node) -> bool:
    """Whether a call runs on the thread of a client that calls back."""
    source, at = sheet.source, call.parent
    while at is not None and at.type != "class_declaration":
        if at.type == "lambda_expression":
            given = at.parent.parent if at.parent is not None and at.parent.type == "argument_list" else None
            if given is None or source.name(given) not in _AT_ONCE:
                return True
        elif (at.type == "object_creation_expression" and source.class_of(call) == at) or (
            at.type == "method_declaration" and _CALLBACKS.fullmatch(source.name(at))
        ):
            return True
        at = at.parent
    return False
