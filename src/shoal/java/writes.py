"""What operators written in Java write by themselves: failures that nobody sees, rows that no checkpoint holds, rows that a replay doubles."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from tree_sitter import Node

from shoal.inserts import INSERTED, MADE_UP, definition, plain_insert, replaces, table_of
from shoal.java.functions import (
    ENDING,
    METHODS,
    OPERATOR,
    WRITERS,
    around,
    following,
    kinds_of,
    loop_around,
    on_task_thread,
    own_nodes,
    tries_around,
    with_helpers,
)
from shoal.java.sheet import Sheet
from shoal.java.source import begins, below, chained
from shoal.lazy import pattern
from shoal.python.values import names

_SINK = pattern(rf"(?:Rich)?SinkFunction|TwoPhaseCommitSinkFunction|{WRITERS}")
# Those that write what they are given at once; the others do it in transactions, which end with a checkpoint.
_AT_ONCE = pattern(r"(?:Rich)?SinkFunction|(?:Stateful)?SinkWriter")
_LISTENER = pattern(r"@Kafka(?:Listener|Handler)\b")
_CHANNEL = pattern(r"@Incoming\b")
_ENTRIES = METHODS | {"snapshotState", "emit"}
# Sinks of which nobody misses a record.
_HARMLESS = pattern(r"(?i)metric|monitor|debug|cache|print|log(?:ger|ging)")
_ALL = pattern(r"\b(?:Exception|Throwable)\b")
# What an exception is called that says nothing of a write.
OF_RECORDS = pattern(
    r"Json|Parse|Parsing|Format|Interrupted|ClassCast|NullPointer|IllegalArgument|Deserial|Unsupported|DateTime|IndexOutOfBounds"
)
_WRITES = pattern(
    r"(?:execute|insert|replace|upsert|bulk|save|store|persist|publish|produce|send|upload|write|put|update|flush|post)(?:[A-Z]\w*)?|index"
    r"|(?:[hlrzsx]|ps|m|get)?(?:set|push|add|mset|setex|incrBy)(?:Async)?|setex|setnx|incr(?:By)?|batchWriteItem"
)
# Which of them a text, a collection, a state or a collector has as well: they are writes where they are called on a field, or on what a call gives.
_COMMON = names("put set add push update write store flush index replace replaceAll putAll send incr insert execute setnx")
_KEPT = pattern(
    r"(?:\w*(?:List|Map|Set|Queue|Deque|State|Collector|Builder|Node|Object|Document|Writer|OutputStream|Buffer|Stream|Logger|Counter|Meter|Gauge"
    r"|Histogram|Digest|Mapper|Matcher|AtomicLong|AtomicInteger|Context|Output))|String|class:\w+|Properties|Pattern"
)
_LOGS = names(
    "debug info warn warning error trace severe fine log println print printf printStackTrace inc increment increase mark incrementAndGet "
    "getAndIncrement addAndGet"
)
_TEXTS = names("format valueOf substring join")
_EXPIRES = names("expire pexpire setex psetex")  # what is written for a while comes again
RETRIES = pattern(r"(?i)attempt|retr|tries")
_COLLECTIONS = pattern(
    r"(?:Array|Linked)?List|Vector|(?:Array|Linked)?(?:Blocking)?(?:Queue|Deque)|ArrayDeque|ConcurrentLinkedQueue|LinkedHashSet|HashSet"
)
_FILLS = names("add addAll offer addLast push")
_EMPTIES = ("clear", "drainTo", "poll", "remove", "removeAll", "pollFirst")


def collect(sheet: Sheet) -> None:
    source = sheet.source
    looked_at: set[int] = set()
    for method in source.methods:
        body, owner = method.child_by_field_name("body"), source.class_of(method)
        if body is None or owner is None or source.name(method) not in _ENTRIES:
            continue
        kinds = kinds_of(sheet, method)
        if not any(map(OPERATOR.fullmatch, kinds)) or _HARMLESS.search(_name(sheet, owner)):
            continue
        ends = any(map(_SINK.fullmatch, kinds)) or gives_nothing(sheet, method, body)
        for run in with_helpers(sheet, body, looked_at):
            swallowed(sheet, run, "write-swallowed" if ends else "write-beside-swallowed")
    _inserts(sheet)
    _definitions(sheet)
    for owner in source.classes:
        _buffers(sheet, owner)


def _marks(sheet: Sheet, method: Node) -> str:
    """The modifiers and annotations of a method, as they are written."""
    first = method.named_children[0] if method.named_children else None
    return sheet.source.written(first) if first is not None and first.type == "modifiers" else ""


def listens(sheet: Sheet, method: Node) -> bool:
    """Whether Spring calls a method with a record of Kafka."""
    return _LISTENER.search(_marks(sheet, method)) is not None


def of_listeners(sheet: Sheet) -> None:
    """Methods that Spring calls with a record of Kafka, and whose offset it commits when they are back."""
    looked_at: set[int] = set()
    for method in sheet.source.methods:
        body = method.child_by_field_name("body")
        if body is not None and listens(sheet, method):
            for run in with_helpers(sheet, body, looked_at):
                swallowed(sheet, run, "write-of-listener-swallowed")


def of_channels(sheet: Sheet) -> None:
    """Methods that SmallRye calls with what a message holds, and acknowledges it when they are back; one that takes the `Message` does so itself."""
    looked_at: set[int] = set()
    source = sheet.source
    for method in source.methods:
        body, parameters = method.child_by_field_name("body"), method.child_by_field_name("parameters")
        marks = _marks(sheet, method)
        if body is None or parameters is None or not _CHANNEL.search(marks) or "@Acknowledgment" in marks:
            continue
        types = [source.written(one.child_by_field_name("type")) for one in parameters.named_children if one.child_by_field_name("type")]
        if any(one.startswith(("Message", "KafkaRecord", "IncomingKafkaRecord")) for one in types):
            continue
        for run in with_helpers(sheet, body, looked_at):
            swallowed(sheet, run, "write-of-channel-swallowed")


def _name(sheet: Sheet, owner: Node) -> str:
    return sheet.source.written(owner.child_by_field_name("name") or owner.child_by_field_name("type"))


def gives_nothing(sheet: Sheet, method: Node, body: Node) -> bool:
    """Whether a function has a collector and never uses it: it is a sink by another name."""
    parameters = method.child_by_field_name("parameters")
    for one in parameters.named_children if parameters is not None else ():
        if sheet.source.written(one.child_by_field_name("type")).startswith("Collector"):
            name = sheet.source.written(one.child_by_field_name("name"))
            return not re.search(rf"\b{re.escape(name)}\b", sheet.source.written(body))
    return False


# -- failures


def swallowed(sheet: Sheet, body: Node, kind: str, found: Callable[[Sheet, Node], Iterator[Node]] | None = None) -> None:
    """Handlers that do no more than log what a write threw, as oddities of a kind. What is written for a while stands beside a record. `found`: the writes of a body."""
    source = sheet.source
    for clause in own_nodes(body, "catch_clause"):
        attempt, inner = clause.parent, clause.child_by_field_name("body")
        caught = source.written(clause.named_children[0]) if clause.named_children else ""
        if attempt is None or inner is None or OF_RECORDS.search(caught) or inside_handler(clause, body):
            continue
        logged = only_logs(sheet, inner)
        if logged is None or any(list(below(node, "throw_statement")) for node in following(attempt, body)):
            continue
        loop = loop_around(clause, body)
        if loop is not None and RETRIES.search(source.text[loop.start_byte : attempt.start_byte]):
            continue
        guarded = attempt.child_by_field_name("body")
        made = (
            (
                call
                for call in (found or writes)(sheet, guarded)
                if not _caught_inside(sheet, call, guarded) and not _kept_for_later(sheet, call, guarded)
            )
            if guarded is not None
            else ()
        )
        if guarded is not None and (call := next(iter(made), None)) is not None:
            how = "logged" if logged else "dropped without a word"
            cached = any(source.name(other) in _EXPIRES for other in source.within(guarded))
            sheet.out.oddity(
                "write-beside-swallowed" if cached and kind.startswith("write-") else kind,
                source.name(call),
                source.span(clause.children[0]),
                how,
            )


def _kept_for_later(sheet: Sheet, call: Node, guarded: Node) -> bool:
    """Whether what a call writes waits in a collection of the object's that is emptied behind the write: where that throws, it is still there for the next attempt."""
    source = sheet.source
    method = source.method_called(call) if source.written(call.child_by_field_name("object")) in ("", "this") else None
    run = method.child_by_field_name("body") if method is not None else guarded
    if run is None:
        return False
    made = next(iter(writes(sheet, run)), None) if method is not None else call
    for other in source.within(run):
        if made is None or source.name(other) != "clear" or other.start_byte < made.end_byte:
            continue
        owner = other.child_by_field_name("object")
        declared = source.declaration(source.written(owner).removeprefix("this."), other)
        if declared is not None and declared.kind == "field" and _COLLECTIONS.fullmatch(declared.type) and not inside_handler(other, run):
            return True
    return False


def _caught_inside(sheet: Sheet, call: Node, guarded: Node) -> bool:
    """Whether a try within another one catches all that a call throws, and throws nothing itself: the outer one hears of nothing."""
    for attempt in tries_around(call, guarded):
        body = attempt.child_by_field_name("body")
        clauses = [part for part in attempt.children if part.type == "catch_clause"]
        if body is None or not body.start_byte <= call.start_byte < body.end_byte:
            continue
        if any(
            _ALL.search(sheet.source.written(clause.named_children[0])) and not list(below(clause, "throw_statement")) for clause in clauses
        ):
            return True
    return False


def inside_handler(clause: Node, body: Node) -> bool:
    at = clause.parent
    while at is not None and at != body:
        if at.type in ("catch_clause", "finally_clause"):
            return True
        at = at.parent
    return False


def only_logs(sheet: Sheet, block: Node, answers: bool = False) -> bool | None:
    """Whether a handler does nothing (False) or only logs and counts (True); None when it does more. `answers`: to return null or false is nothing."""
    found = [logs(sheet, node, answers) for node in block.named_children]
    return None if None in found else any(found)


def logs(sheet: Sheet, node: Node, answers: bool = False) -> bool | None:
    """Whether a statement does nothing (False) or only logs and counts (True); None when it does more."""
    if node.type.endswith("comment") or (node.type == "return_statement" and not node.named_children):
        return False
    if answers and (
        node.type == "continue_statement"
        or (node.type == "return_statement" and sheet.source.written(node.named_children[0]) in ("null", "false"))
    ):
        return False
    if node.type == "if_statement":
        parts = [node.child_by_field_name("consequence"), node.child_by_field_name("alternative")]
        blocks = all(part.type == "block" and only_logs(sheet, part, answers) is not None for part in parts if part is not None)
        return True if blocks else None
    if node.type == "local_variable_declaration":  # a name for what is logged
        return False if all(_only_names(sheet, made) for made in below(node, "method_invocation")) else None
    call = node.named_children[0] if node.type == "expression_statement" and node.named_children else None
    known = call is not None and (
        call.type == "update_expression" or (call.type == "method_invocation" and sheet.source.name(call) in _LOGS)
    )
    return True if known else None


def _only_names(sheet: Sheet, call: Node) -> bool:
    """Whether a call does no more than ask for something, or put a text together."""
    return not sheet.source.arguments(call) or sheet.source.name(call) in _TEXTS


def writes(sheet: Sheet, body: Node) -> Iterator[Node]:
    """The calls of a body that write to something outside."""
    source = sheet.source
    for call in source.within(body):
        name, owner = source.name(call), call.child_by_field_name("object")
        if not _WRITES.fullmatch(name) or name.startswith("writeValueAs") or not on_task_thread(call, body):
            continue
        kind = source.type_of(owner)
        if _KEPT.fullmatch(kind):
            continue
        if name not in _COMMON or owner is None or kind == "RequestIndexer":
            yield call
        elif owner.type in ("identifier", "field_access"):
            declared = source.declaration(source.written(owner).removeprefix("this."), owner)
            if declared is not None and (declared.kind == "field" or declared.node.type == "resource"):
                yield call


# -- rows that come twice


def _inserts(sheet: Sheet) -> None:
    """Rows and documents that are put in under no key: what is written again after a failure is there twice."""
    source = sheet.source
    for call in () if replaces(source.text) else source.named("sink", "withQueryStatement", "prepareStatement"):
        given = source.arguments(call)
        text = source.text_of(given[0]) if given else None
        found = plain_insert(text.text) if text is not None else None
        if text is None or found is None:
            continue
        if source.name(call) == "sink" and source.type_of(call.child_by_field_name("object")) != "class:JdbcSink":
            continue
        if source.name(call) != "prepareStatement" and _runs_once(sheet):
            continue
        if source.name(call) == "prepareStatement" and (not any(map(_AT_ONCE.fullmatch, kinds_of(sheet, call))) or _updates(sheet, call)):
            continue
        sheet.out.oddity("plain-insert", table_of(found), text.span(*found.span(1)), INSERTED)
    if "elasticsearch" in source.text or "opensearch" in source.text:
        for node in (*source.named("indexRequest"), *source.news):
            if source.name(node) == "indexRequest" or (source.type_of(node) == "IndexRequest" and len(source.arguments(node)) < 3):
                _document(sheet, node)


def _definitions(sheet: Sheet) -> None:
    """Statements about a table itself that a sink runs for its records."""
    source = sheet.source
    for call in source.named("sink", "withQueryStatement"):
        given = source.arguments(call)
        text = source.text_of(given[0]) if given else None
        if source.name(call) == "sink" and source.type_of(call.child_by_field_name("object")) != "class:JdbcSink":
            continue
        if text is not None and (what := definition(text.text)):
            sheet.out.oddity("table-made-by-sink", what, sheet.name_span(call))


def _runs_once(sheet: Sheet) -> bool:
    """Whether a program only reads a list or the like of its own, and takes no checkpoints: after a failure there is nothing that is done again by itself."""
    source = sheet.source
    return bool(source.named(*ENDING)) and not source.named(
        "fromSource", "addSource", "socketTextStream", "createInput", "enableCheckpointing"
    )


def _updates(sheet: Sheet, call: Node) -> bool:
    """Whether the class prepares an update as well, and inserts only where there is nothing to update."""
    owner = sheet.source.class_of(call)
    return owner is not None and re.search(r'"\s*(?i:update)\s', sheet.source.written(owner)) is not None


def _document(sheet: Sheet, node: Node) -> None:
    """A request to index a document that nothing gives an id."""
    source, at = sheet.source, node
    for at in chained(node):
        if source.name(at) == "id":
            return
    name = at.parent.child_by_field_name("name") if at.parent is not None and at.parent.type == "variable_declarator" else None
    if name is None or source.written(name) not in (source.written(begins(call)) for call in source.named("id")):
        sheet.out.oddity("plain-insert", "the index", source.span(node.child_by_field_name("type") or source.name_node(node)), MADE_UP)


# -- rows outside of state


def _buffers(sheet: Sheet, owner: Node) -> None:
    """Lists of an operator's own that fill with records and are emptied now and then, in a class that saves nothing with a checkpoint."""
    source = sheet.source
    body = owner.child_by_field_name("body")
    kinds = kinds_of(sheet, body.named_children[0]) if body is not None and body.named_children else []
    if body is None or not any(map(OPERATOR.fullmatch, kinds)) or any(kind.endswith("AsyncFunction") for kind in kinds):
        return  # what an async operator waits for is in the checkpoint
    text = source.written(body)
    if re.search(r"\b(?:snapshotState|notifyCheckpointComplete|prepareCommit|ListState)\b", text):
        return
    if any(kind.endswith("SinkWriter") for kind in kinds) and not _flushes_nothing(sheet, owner):
        return  # a writer is flushed before a checkpoint
    said: set[str] = set()
    for call in source.within(body):
        method, target = source.method_of(call), call.child_by_field_name("object")
        name = source.written(target).removeprefix("this.")
        declared = source.declaration(name, call) if source.name(call) in _FILLS and name not in said else None
        if declared is None or declared.kind != "field" or not _COLLECTIONS.fullmatch(declared.type) or method is None:
            continue
        if source.name(method) not in METHODS or source.class_of(method) != owner:
            continue
        named = re.escape(name)
        emptied = re.search(rf"\b{named}\s*\.\s*(?:{'|'.join(_EMPTIES)})\(", text)
        anew = len(re.findall(rf"\b{named}\s*=\s*new\b", text)) > (declared.value is not None)
        if (emptied or anew) and (re.search(rf"\b{named}\s*\.\s*(?:size|isEmpty)\(", text) or _counts(sheet, method, named)):
            said.add(name)
            sheet.out.oddity("rows-buffered", name, sheet.name_span(call))
    for call in source.within(body):
        if source.name(call) == "addBatch" and source.class_of(call) == owner and _waits_in_batch(sheet, call, body):
            sheet.out.oddity("rows-buffered", f"the batch of {source.written(call.child_by_field_name('object'))}", sheet.name_span(call))
            return


def _flushes_nothing(sheet: Sheet, owner: Node) -> bool:
    """Whether a writer of the class's own `flush`, which is called before each checkpoint, does nothing, or nothing but at the end of the input."""
    source = sheet.source
    for method in below(owner, "method_declaration"):
        body = method.child_by_field_name("body")
        if source.name(method) != "flush" or source.class_of(method) != owner or body is None:
            continue
        parameter = next(iter(below(method, "formal_parameter")), None)
        ends = source.written(parameter.child_by_field_name("name")) if parameter is not None else ""
        done = [at for at in body.named_children if "comment" not in at.type]
        only = done[0] if len(done) == 1 and done[0].type == "if_statement" else None
        asked = source.written(only.child_by_field_name("condition")).strip("() ") if only is not None else ""
        return bool(ends) and (not done or (asked == ends and only is not None and only.child_by_field_name("alternative") is None))
    return False


def _counts(sheet: Sheet, method: Node, named: str) -> bool:
    """Whether a method called for each record counts them, and empties the list under a condition on the count: `if (++count % 500 == 0)`."""
    source, text = sheet.source, sheet.source.written(method)
    for at in below(method, "if_statement"):
        asked = source.written(at.child_by_field_name("condition"))
        counter = re.search(r"(?:\+\+)?\b(\w+)\b\s*(?:%|>=?|==)", asked)
        if counter is None or not re.search(rf"\+\+\s*(?:this\.)?{counter[1]}\b|\b{counter[1]}\s*(?:\+\+|\+=\s*1\b)", text):
            continue
        for run in with_helpers(sheet, at, set()):
            if re.search(rf"\b{named}\s*(?:\.\s*(?:{'|'.join(_EMPTIES)})\(|=\s*new\b)", source.written(run)):
                return True
    return False


def _waits_in_batch(sheet: Sheet, call: Node, body: Node) -> bool:
    """Whether a row that a method called for each record adds to a statement's batch is sent at some later record only: under a condition, and not under its own."""
    source, method, target = sheet.source, sheet.source.method_of(call), call.child_by_field_name("object")
    declared = source.declaration(source.written(target).removeprefix("this."), call)
    if method is None or source.name(method) not in METHODS or declared is None or declared.kind != "field":
        return False
    sent = [one for one in source.within(body) if source.name(one) in ("executeBatch", "executeLargeBatch")]
    helpers = {source.name(at) for one in sent if (at := source.method_of(one)) is not None and at != method}
    here = [one for one in source.within(method) if one in sent or source.name(one) in helpers]
    tests = [next((at for at in around(one, method) if at.type == "if_statement"), None) for one in here]
    return bool(tests) and all(test is not None and not test.start_byte < call.start_byte < test.end_byte for test in tests)
