"""Kafka's own Java clients: what `Properties` or a map tells a consumer or producer, or the factory that Spring or Reactor has for them."""

from __future__ import annotations

import re

from tree_sitter import Node

from shoal.facts import Block, Usage
from shoal.java.functions import following, loop_around, on_task_thread, tries_around, with_helpers
from shoal.java.sheet import MAPS, Options, Sheet
from shoal.java.source import begins, below, same
from shoal.java.writes import RETRIES, listens, logs, only_logs
from shoal.lazy import pattern
from shoal.model import Span
from shoal.python.values import Known, Millis, names

_CLIENTS = {
    "KafkaConsumer": "consumer",
    "KafkaProducer": "producer",
    "DefaultKafkaConsumerFactory": "consumer",
    "DefaultKafkaProducerFactory": "producer",
}
_CREATED = {
    "AdminClient": "admin",
    "Admin": "admin",
    "KafkaAdminClient": "admin",
    "ReceiverOptions": "consumer",
    "SenderOptions": "producer",
}
# Where what makes or describes an application of Kafka Streams takes its options.
_STREAMS = {"KafkaStreams": 1, "StreamsConfig": 0, "KafkaStreamsConfiguration": 0}
PRODUCERS = ("KafkaProducer", "Producer")
_TEMPLATES = ("KafkaTemplate", "KafkaOperations", "RoutingKafkaTemplate")
# What hears of each failed send, or makes the failure that of a transaction; and what marks a test.
_WATCHED = pattern(
    r"\b(?:ProducerListener|setProducerListener|KafkaTransactionManager|KafkaAwareTransactionManager|setTransactionIdPrefix|executeInTransaction)\b"
)
# What is caught where a wait for a delivery fails, and what methods are called whose records may well get lost.
_UNDELIVERED = pattern(r"\b(?:Exception|Throwable|ExecutionException|CompletionException)\b")
_MAY_BE_LOST = pattern(r"(?i)metric|heartbeat|telemetry|log(?!in)|audit|ping|try|safe|quiet|dlq|dead|test|demo")
_TESTS = pattern(r"\borg\.junit\b|@(?:SpringBootTest|EmbeddedKafka)\b")
_ADMINS = ("AdminClient", "Admin", "KafkaAdminClient")
# Administrative calls that change something, and answer by futures.
_CHANGES = names(
    "createTopics deleteTopics createPartitions alterConfigs incrementalAlterConfigs deleteRecords createAcls deleteAcls "
    "alterConsumerGroupOffsets deleteConsumerGroupOffsets deleteConsumerGroups alterPartitionReassignments alterClientQuotas"
)
# What commits, or shows that offsets are kept elsewhere.
_POSITIONS = pattern(r"\b(?:commit\w*|sendOffsetsToTransaction|assign|seek\w*)\s*\(|\bcommit(?:Sync|Async)\b")
_SUBSCRIBES = pattern(r"\b(?:subscribe|assign)\b|::\s*poll\b")
_CONSUMERS = ("KafkaConsumer", "Consumer")
# What may wait, or end a loop when there is nothing.
_WAITS = pattern(r"(?i)\b(?:\w*sleep|\w*wait\w*|park\w*|onSpinWait|yield|get|take|join|acquire|select|break|return|throw)\b")
# What is caught where somebody asks for the end, or for the program's usage.
_ASKED_FOR = pattern(r"Interrupt|Wakeup|Cancel|EOF|EndOf|Help|Usage|Pars|Argument|CommandLine|Option")
# What closes by itself what is made in it or put there, or is made and closed by a framework.
_CLOSES = pattern(r"\btry\s*\(|::\s*(?:close|wakeup)\b|@(?:Bean|Cleanup|Produces)\b|\breturn\s+(?:this\.)?consumer\b")
# A list that is long enough.
_LONG_ENOUGH = pattern(r"\b(\w+)\s*\.\s*size\(\)\s*(?:>=?|==)\s*(?!0\b)")
_EVERY = pattern(r"(?:final\s+)?(?:Exception|Throwable|RuntimeException|KafkaException)\b")
_CLOSING = ("close", "wakeup", "unsubscribe", "flush", "commitSync", "commitAsync", "shutdown")
# What asks the thread that polls to end, or waits until it has; and what tells a Streams application, or its owner, of a failure.
_ENDS_FIRST = pattern(r"\b(?:wakeup|join|await\w*|sleep|get|acquire|tryAcquire|wait)\b|\bsynchronized\b")
# Classes whose objects are run by a thread of their own, and what tells a loop in it to end: `running = false`, `closed.set(true)`.
_RUNS = pattern(r"\b(?:Runnable|Callable|Thread|ShutdownableThread)\b")
_TELLS = pattern(r"\b(\w+)\s*(?:=\s*(?:true|false)\b|\.\s*(?:set|lazySet|compareAndSet|getAndSet)\()")
_TOLD = pattern(
    r"\bset(?:UncaughtExceptionHandler|StateListener|DefaultUncaughtExceptionHandler)\b|\b[Ss]tate\(\)|@(?:Bean|EnableKafkaStreams)\b"
)
# What asks which failure it is, or how often one came, or ends something.
_WEIGHED = pattern(
    r"SHUTDOWN_|\bif\b|\bswitch\b|\?|\bthrow\b|\bexit\b|\bhalt\b|\bclose\b|\bstop\b|countDown|incrementAndGet|\bsleep\b|\bset\w*\s*\("
)
_ASKED = ("setUncaughtExceptionHandler", "setStreamsUncaughtExceptionHandler")
# Options that say whose they are, where no client stands beside them.
_OF_ROLES = {"consumer": names("key.deserializer value.deserializer"), "producer": names("key.serializer value.serializer")}
# What gives a factory of Spring its serializers after it was made.
_SET_LATER = pattern(r"\bset(?:Key|Value)(?:Des|S)erializer(?:Supplier)?\b")
_HOMES = ("org.apache.kafka.", "org.springframework.kafka.", "reactor.kafka.")
# Vert.x' clients around Kafka's own, and where the calls that make them take the options.
_VERTX = "io.vertx.kafka.client."
_AT = {"create": 1, "createShared": 2}


def collect(sheet: Sheet) -> None:
    source = sheet.source
    for node in (*source.news, *source.calls):
        if node.type == "object_creation_expression":
            kind, where = source.type_of(node), node.child_by_field_name("type")
            role = _CLIENTS.get(kind)
        else:
            kind, where = source.written(node.child_by_field_name("object")), source.name_node(node)
            role = _CREATED.get(kind) if source.name(node) == "create" else None
        given = source.arguments(node)
        if node.type == "object_creation_expression" and (at := _STREAMS.get(kind)) is not None:
            role, given = "streams", given[at:]
        wrapped = role is None and source.is_of(kind, _VERTX)
        if wrapped and (at := _AT.get(source.name(node) or "")):
            role, given = _CLIENTS.get(kind), given[at:]
        if role is None or not given or not (wrapped or source.is_of(kind, *_HOMES)):
            continue
        options = sheet.options(given[0])
        traits = [("library", "java"), ("class", kind)]
        if kind in ("KafkaConsumer", "KafkaProducer") and (typed := _typed(sheet, node)):
            traits.append(("typed", typed))
        block = sheet.block("kafka", role, source.span(where or node), traits=tuple(traits), open=options.open)
        sheet.mapping(block, options)
        if kind in _CLIENTS and not wrapped and len(given) == 1 and not _SET_LATER.search(source.text):
            _serializers_missing(sheet, where or node, block, options)
        if kind == "KafkaConsumer" and not wrapped:
            _read_here(sheet, node, block)
            _committed_here(sheet, node, block)
            _never_subscribed(sheet, node, block)
        for at, key in ((1, "key.deserializer"), (2, "value.deserializer")) if kind == "DefaultKafkaConsumerFactory" else ():
            if len(given) > at and (made := source.imports.get(source.type_of(given[at]), "")):
                sheet.out.oddity("deserializer-given", key, source.span(given[at]), made, block)
    _topics(sheet)
    _lend(sheet)
    _sends(sheet)
    _sends_by_template(sheet)
    _spins(sheet)
    _never_closed(sheet)
    _closed_by_hook(sheet)
    _closed_by_others(sheet)
    _commits_unseen(sheet)
    _streams_never_closed(sheet)
    _streams_unwatched(sheet)
    _threads_replaced(sheet)
    _windows_without_grace(sheet)
    _administers(sheet)
    if "org.apache.flink" not in source.text:  # where an exit ends more
        _exits_well(sheet)
        _loop_ends_well(sheet)


def _typed(sheet: Sheet, made: Node) -> str:
    """The types of a client's keys and values, as `new KafkaConsumer<String, Long>(…)` says them, or the variable that a `<>` is given to; empty where neither does."""
    at, given = made.child_by_field_name("type"), made.parent
    told = _arguments_of_type(sheet, at)
    if not told and given is not None and given.type == "variable_declarator" and given.parent is not None:
        told = _arguments_of_type(sheet, given.parent.child_by_field_name("type"))
    elif not told and given is not None and given.type == "resource":
        told = _arguments_of_type(sheet, given.child_by_field_name("type"))
    elif not told and given is not None and given.type == "assignment_expression":
        left = given.child_by_field_name("left")
        declared = sheet.source.declared_by(left) if left is not None else None
        kept = declared.node.parent if declared is not None else None
        told = _arguments_of_type(sheet, kept.child_by_field_name("type") if kept is not None else None)
    elif not told and given is not None and given.type == "return_statement" and (method := sheet.source.method_of(made)) is not None:
        told = _arguments_of_type(sheet, method.child_by_field_name("type"))
    return " ".join(told) if len(told) == 2 else ""


def _arguments_of_type(sheet: Sheet, node: Node | None) -> list[str]:
    """What stands between the angle brackets of a type: simple names."""
    found = (
        [part for part in node.named_children if part.type == "type_arguments"] if node is not None and node.type == "generic_type" else []
    )
    return [sheet.source.written(part).replace(" ", "").rpartition(".")[2] for part in found[0].named_children] if found else []


def _topics(sheet: Sheet) -> None:
    """The replicas of topics that a program makes: `new NewTopic("orders", 6, (short) 3)`, `TopicBuilder.name("orders").replicas(3)`."""
    source = sheet.source
    asked: list[tuple[Node, Node]] = []
    for made in source.news:
        given = source.arguments(made)
        if source.type_of(made) == "NewTopic" and len(given) > 2 and source.is_of("NewTopic", "org.apache.kafka."):
            asked.append((made, given[2]))
    for call in source.named("replicas"):
        given, first = source.arguments(call), begins(call)
        if len(given) == 1 and source.written(first) == "TopicBuilder" and source.is_of("TopicBuilder", "org.springframework.kafka."):
            asked.append((call, given[0]))
    for node, replicas in asked:
        at = node.child_by_field_name("type") or source.name_node(node)
        block = sheet.block("kafka", "topic", source.span(at), traits=(("library", "java"),), open=True)
        value = replicas.child_by_field_name("value") if replicas.type == "cast_expression" else None
        sheet.setting(block, "replicas", value or replicas)


def _lend(sheet: Sheet) -> None:
    """The options that a method of a class of settings gives to clients in other files."""
    source = sheet.source
    for method in source.methods:
        kind = source.written(method.child_by_field_name("type")).partition("<")[0].rpartition(".")[2]
        given = source.returned(method) if kind in MAPS and not source.named(source.name(method)) else None
        options = sheet.options(given) if given is not None else None
        if options is None or "StreamsConfig" in source.written(method):
            continue
        keys = {entry.key for entry in options.entries}
        roles = [role for role, signs in _OF_ROLES.items() if keys & signs]
        if len(roles) == 1:  # the client's own file may add to them
            block = sheet.block("kafka", roles[0], source.span(source.name_node(method)), traits=(("library", "java"),), open=True)
            sheet.mapping(block, options)


def _serializers_missing(sheet: Sheet, made: Node, block: Block, options: Options) -> None:
    """A client of which all options can be seen, and that gets nothing to read or write its keys or values with."""
    keys = {entry.key for entry in options.entries}
    missing = sorted(_OF_ROLES[block.role] - keys)
    if missing and not options.open and "bootstrap.servers" in keys:
        sheet.out.oddity("serializer-missing", " and ".join(missing), sheet.source.span(made), block=block)


def _read_here(sheet: Sheet, made: Node, block: Block) -> None:
    """That a consumer's records are read in a loop of this file, where nothing commits, and nothing else gets hold of it."""
    source = sheet.source
    polls = _polled_here(sheet, made) if not _POSITIONS.search(source.text) else []
    loops = [call for call in polls if loop_around(call, None) is not None]
    if loops:
        sheet.out.facts.append(Usage("read-in-a-loop", "poll", sheet.out.place(sheet.name_span(loops[0])), block.id))


def _never_subscribed(sheet: Sheet, made: Node, block: Block) -> None:
    """A consumer that is asked for records, and that nothing in the file gives a topic or partitions, nor anybody else."""
    polls = _polled_here(sheet, made, True) if not _SUBSCRIBES.search(sheet.source.text) else []
    if polls:
        sheet.out.oddity("never-subscribed", "poll", sheet.name_span(polls[0]), block=block)


def _polled_here(sheet: Sheet, made: Node, by_own: bool = False) -> list[Node]:
    """The calls that ask a consumer for records, where nothing else gets hold of it. `by_own`: the methods and classes of this file may."""
    source = sheet.source

    def away(name: str) -> bool:
        """Whether something is given the consumer."""
        given = [call for way in (name, f"this.{name}") for call, _ in source.handed.get(way, ())]
        own = [
            source.type_of(call) in source.own_classes
            if call.type == "object_creation_expression"
            else source.method_called(call) is not None
            for call in given
        ]
        return not all(own) if by_own else bool(given)

    polls = [call for call in source.named("poll") if same(source.origin(call.child_by_field_name("object")), made)]
    for name in {source.written(call.child_by_field_name("object")).removeprefix("this.") for call in polls}:
        field = next((one for one in source.fields() if one.name == name), None)
        if (
            away(name)
            or (field is not None and not _private(sheet, field.node))
            or re.search(rf"\breturn\s+(?:this\.)?{re.escape(name)}\s*;", source.text)
        ):
            return []
    return polls


def _committed_here(sheet: Sheet, made: Node, block: Block) -> None:
    """The first commit by hand in the loop in which a consumer is polled, and the list that is filled over several polls until then."""
    source = sheet.source

    def ours(call: Node) -> bool:
        return same(source.origin(call.child_by_field_name("object")), made)

    loops = [loop for call in source.named("poll") if ours(call) and (loop := _turned_by(call)) is not None]
    for call in source.named("commitSync", "commitAsync"):
        loop = next((one for one in loops if one.start_byte < call.start_byte < one.end_byte), None)
        if loop is not None and ours(call):
            where = sheet.out.place(sheet.name_span(call))
            sheet.out.facts.append(Usage("commits-in-a-loop", _waiting(sheet, call, loop), where, block.id))
            return


def _turned_by(poll: Node) -> Node | None:
    """The loop that polls again and again: not the one over what a poll gives."""
    loop = loop_around(poll, None)
    over = loop.child_by_field_name("value") if loop is not None and loop.type == "enhanced_for_statement" else None
    return loop_around(loop, None) if loop is not None and over is not None and poll.end_byte <= over.end_byte else loop


def _waiting(sheet: Sheet, commit: Node, loop: Node) -> str:
    """The collection by whose size a commit is decided, and to which the loop adds; empty where there is none."""
    source, at = sheet.source, commit.parent
    while at is not None and at != loop:
        condition = at.child_by_field_name("condition") if at.type == "if_statement" else None
        for found in _LONG_ENOUGH.finditer(source.written(condition)):
            name: str = found.group(1)
            declared = source.declaration(name, commit)
            outside = declared is not None and not loop.start_byte < declared.node.start_byte < loop.end_byte
            if outside and any(source.written(call.child_by_field_name("object")) == name for call in source.named("add", "addAll")):
                return name
        at = at.parent
    return ""


def _private(sheet: Sheet, field: Node) -> bool:
    at: Node | None = field
    while at is not None and at.type != "field_declaration":
        at = at.parent
    return at is not None and "private" in sheet.source.written(at.children[0])


def _windows_without_grace(sheet: Sheet) -> None:
    """Windows of Kafka Streams that close as soon as a later record has come."""
    source = sheet.source
    for call in source.named("ofSizeWithNoGrace", "ofTimeDifferenceWithNoGrace", "ofInactivityGapWithNoGrace"):
        kind = source.written(call.child_by_field_name("object"))
        if source.is_of(kind, "org.apache.kafka.streams."):
            sheet.out.oddity("window-without-grace", source.name(call), sheet.name_span(call), source.name(call).replace("WithNo", "And"))


def _administers(sheet: Sheet) -> None:
    """Administrative calls whose answer nobody takes."""
    source = sheet.source
    for call in source.named(*_CHANGES):
        kind = source.type_of(call.child_by_field_name("object"))
        ours = kind in _ADMINS and source.imports.get(kind, "org.apache.kafka.clients.").startswith("org.apache.kafka.clients.")
        if ours and call.parent is not None and call.parent.type == "expression_statement" and not _asked_about(sheet, call):
            sheet.out.oddity("admin-unseen", source.name(call), sheet.name_span(call))


def _asked_about(sheet: Sheet, call: Node) -> bool:
    """Whether the same method looks afterwards at what topics there are."""
    source = sheet.source
    method = source.method_of(call)
    later = source.named("partitionsFor", "describeTopics", "listTopics", "topicExists")
    return method is not None and any(call.end_byte < other.start_byte < method.end_byte for other in later)


def _spins(sheet: Sheet) -> None:
    """A loop that asks for records, waits for none, and has nothing else to wait for."""
    source = sheet.source
    for call in source.named("poll"):
        kind, given = source.type_of(call.child_by_field_name("object")), source.arguments(call)
        if kind not in _CONSUMERS or not source.imports.get(kind, "org.apache.kafka.clients.").startswith("org.apache.kafka.clients."):
            continue
        loop, value = loop_around(call, None), source.value(given[0]) if len(given) == 1 else None
        at_once = (isinstance(value, (Known, Millis)) and value.value == 0) or any(
            source.written(node) == "Duration.ZERO" for node in given
        )
        if loop is not None and loop.type != "enhanced_for_statement" and at_once and not _WAITS.search(source.written(loop)):
            sheet.out.oddity("poll-at-once", "poll", sheet.name_span(call), source.written(given[0]))
        elif isinstance(value, Known) and isinstance(value.value, int):
            sheet.out.oddity("poll-of-number", "poll", sheet.name_span(call), source.written(given[0]))


def _sends(sheet: Sheet) -> None:
    """Records whose delivery nobody asks about, and waits for one that have no timeout. `commitTransaction` asks about all before it."""
    source = sheet.source
    asked = bool(source.named("commitTransaction")) or _TESTS.search(source.text) is not None  # what a test sends, it looks for
    for call in source.named("send"):
        parent = call.parent
        if parent is None or not by_producer(sheet, call):
            continue
        given = source.arguments(call)
        if parent.type == "expression_statement" and len(given) == 1 and not asked:
            sheet.out.oddity("send-unseen", "send", sheet.name_span(call))
        elif (
            parent.type == "expression_statement"
            and len(given) == 2
            and not asked
            and (deaf := _ignored_failure(sheet, given[1])) is not None
        ):
            sheet.out.oddity("send-callback-deaf", source.written(deaf), source.span(deaf))
    for call in source.named("get"):
        owner = call.child_by_field_name("object")
        if owner is not None and owner.type == "identifier" and (declared := source.declaration(source.written(owner), owner)) is not None:
            owner = source.given(declared)
        if owner is None or owner.type != "method_invocation" or source.name(owner) not in ("send", "sendDefault"):
            continue
        if not source.arguments(call) and by_producer(sheet, owner):
            sheet.out.oddity("send-waited-for", "get", sheet.name_span(call))
        if (by_producer(sheet, owner) or _by_template(sheet, owner)) and (found := _kept_quiet(sheet, call)) is not None:
            method, handler = found
            sheet.out.oddity("send-failure-logged", source.name(method), source.span(handler.children[0]))


def _kept_quiet(sheet: Sheet, call: Node) -> tuple[Node, Node] | None:
    """The method that waits for a delivery and its handler that only logs the failure, where it gives nothing back and does nothing more."""
    source = sheet.source
    method = source.method_of(call)
    body = method.child_by_field_name("body") if method is not None else None
    if method is None or body is None or not on_task_thread(call, body) or source.name(method) == "main" or _TESTS.search(source.text):
        return None
    if source.written(method.child_by_field_name("type")) != "void" or _MAY_BE_LOST.search(source.name(method)):
        return None
    for attempt in tries_around(call, body):
        guarded = attempt.child_by_field_name("body")
        clauses = [part for part in attempt.children if part.type == "catch_clause"]
        clause = next((one for one in clauses if _UNDELIVERED.search(source.written(one.named_children[0]))), None)
        if clause is None or guarded is None or not guarded.start_byte <= call.start_byte < guarded.end_byte:
            continue  # the next one around catches it
        inner, loop = clause.child_by_field_name("body"), loop_around(clause, body)
        again = loop is not None and RETRIES.search(source.text[loop.start_byte : attempt.start_byte]) is not None
        behind = [node for node in following(attempt, body) if logs(sheet, node) is None]
        quiet = inner is not None and only_logs(sheet, inner) is not None and not behind and not again
        return (method, clause) if quiet else None
    return None


def _by_template(sheet: Sheet, call: Node) -> bool:
    """Whether a call is made on Spring's template."""
    kind = sheet.source.type_of(call.child_by_field_name("object"))
    return kind in _TEMPLATES and sheet.source.is_of(kind, _HOMES[1])


def _ignored_failure(sheet: Sheet, given: Node) -> Node | None:
    """The exception that a callback of `send` is given, where it never looks at it."""
    source, found = sheet.source, sheet.source.origin(given)
    if found is None:
        return None
    if found.type == "lambda_expression":
        parameters, body = found.child_by_field_name("parameters"), found.child_by_field_name("body")
        named = [part for part in parameters.named_children if "comment" not in part.type] if parameters is not None else []
    elif found.type == "object_creation_expression":
        method = next((one for one in below(found, "method_declaration") if source.name(one) == "onCompletion"), None)
        body = method.child_by_field_name("body") if method is not None else None
        named = list(below(method, "formal_parameter")) if method is not None else []
    else:
        return None
    if len(named) != 2 or body is None:
        return None
    error = named[1].child_by_field_name("name") or named[1]
    return error if not re.search(rf"\b{re.escape(source.written(error))}\b", source.written(body)) else None


def _sends_by_template(sheet: Sheet) -> None:
    """Records given to Spring's template whose future is dropped, which leaves a failure to its producer listener; whether there is one of the program's own."""
    source = sheet.source
    if watched := _WATCHED.search(source.text):
        sheet.out.facts.append(Usage("template-watched", watched[0], sheet.out.place(Span(*watched.span()))))
    if _TESTS.search(source.text):
        return
    for call in source.named("send", "sendDefault"):
        if call.parent is None or call.parent.type != "expression_statement" or not _by_template(sheet, call):
            continue
        method = source.method_of(call)
        sheet.out.oddity(
            "template-send-unseen", "send", sheet.name_span(call), "listener" if method is not None and listens(sheet, method) else ""
        )


def _never_closed(sheet: Sheet) -> None:
    """Consumers of a group that are read in a loop, in a file that closes nothing and hands them to nobody."""
    source = sheet.source
    if source.named("close", "wakeup", "unsubscribe") or _CLOSES.search(source.text) or not source.named("subscribe"):
        return
    if any(source.type_of(given) in _CONSUMERS for pairs in source.handed.values() for _, given in pairs):
        return
    for call in source.named("poll"):
        made = source.origin(call.child_by_field_name("object"))
        if made is None or made.type != "object_creation_expression" or loop_around(call, None) is None:
            continue
        if source.type_of(made) == "KafkaConsumer" and source.is_of("KafkaConsumer", _HOMES[0]) and not source.local_only(call):
            sheet.out.oddity("never-closed", "KafkaConsumer", source.span(made.child_by_field_name("type") or made))
            return


def _closed_by_hook(sheet: Sheet) -> None:
    """A consumer that a shutdown hook closes while the thread that made it polls, and that lets one thread in."""
    source = sheet.source
    for hook in source.named("addShutdownHook"):
        given = source.arguments(hook)
        work = source.origin(given[0]) if len(given) == 1 else None
        if work is None or work.type != "object_creation_expression" or source.type_of(work) != "Thread":
            continue
        if _ENDS_FIRST.search(source.written(work)):
            continue
        ends = [(call, call.child_by_field_name("object")) for call in source.within(work) if source.name(call) == "close"]
        ends += [
            (node, node.children[0]) for node in source.references.get("close", ()) if work.start_byte <= node.start_byte < work.end_byte
        ]
        for node, owner in ends:
            if _is_consumer(sheet, owner) and any(_polled(sheet, call, owner, work) for call in source.named("poll")):
                sheet.out.oddity("closed-by-hook", "close", source.span(node.child_by_field_name("name") or node.children[-1]))


def _commits_unseen(sheet: Sheet) -> None:
    """Commits whose failure is discarded, in a file that makes none of another kind."""
    source = sheet.source
    if source.named("commitSync") or "commitSync" in source.references or any(map(source.arguments, source.named("commitAsync"))):
        return
    for call in source.named("commitAsync"):
        if _is_consumer(sheet, call.child_by_field_name("object")):
            sheet.out.oddity("commit-unseen", "commitAsync", sheet.name_span(call))
            return


def _closed_by_others(sheet: Sheet) -> None:
    """A consumer that `run` polls, closed by the method that tells its loop to end: that runs in another thread, while the loop is still in `poll`."""
    source = sheet.source
    for poll in source.named("poll"):
        owner, runs, loop = poll.child_by_field_name("object"), source.method_of(poll), _turned_by(poll)
        condition = loop.child_by_field_name("condition") if loop is not None else None
        if runs is None or condition is None or not _is_consumer(sheet, owner):
            continue
        ours = source.class_of(runs)
        body = runs.child_by_field_name("body")
        if ours is None or body is None or source.name(runs) not in ("run", "call") or not _RUNS.search(_heading(sheet, ours)):
            continue
        flags = set(re.findall(r"\w+", source.written(condition)))
        called = {run.start_byte for run in with_helpers(sheet, body, set())}
        for call in source.named("close"):
            method, closed = source.method_of(call), call.child_by_field_name("object")
            inner = method.child_by_field_name("body") if method is not None else None
            if (
                method is None
                or inner is None
                or inner.start_byte in called
                or source.class_of(call) != ours
                or not on_task_thread(call, inner)
            ):
                continue
            before = source.text[inner.start_byte : call.start_byte]
            told = any(name in flags for name in _TELLS.findall(before))
            field = source.declared_by(closed) if closed is not None else None
            same_one = source.written(closed).removeprefix("this.") == source.written(owner).removeprefix("this.")
            if same_one and field is not None and field.kind == "field" and told and not _ENDS_FIRST.search(before):
                sheet.out.oddity("closed-by-other", source.name(method), sheet.name_span(call))


def _heading(sheet: Sheet, owner: Node) -> str:
    """What a class says of itself in front of its body."""
    body = owner.child_by_field_name("body")
    return sheet.source.text[owner.start_byte : body.start_byte if body is not None else owner.end_byte]


def _is_consumer(sheet: Sheet, owner: Node | None) -> bool:
    source = sheet.source
    kind = source.type_of(owner)
    return kind in _CONSUMERS and source.is_of(kind, "org.apache.kafka.clients.")


def _polled(sheet: Sheet, call: Node, owner: Node | None, work: Node) -> bool:
    """Whether a call polls the consumer in a loop, and not in what the hook runs."""
    source, other = sheet.source, call.child_by_field_name("object")
    outside = not work.start_byte <= call.start_byte < work.end_byte
    ours = same(source.origin(other), source.origin(owner)) or source.written(other).removeprefix("this.") == source.written(owner)
    return outside and ours and loop_around(call, None) is not None


def _streams_unwatched(sheet: Sheet) -> None:
    """A Kafka Streams application that `main` starts and stays up for, in a file that never learns when it fails."""
    source = sheet.source
    if _TOLD.search(source.text) or any(source.type_of(given) == "KafkaStreams" for pairs in source.handed.values() for _, given in pairs):
        return
    for call in source.named("start"):
        made, method = source.origin(call.child_by_field_name("object")), source.method_of(call)
        if made is None or made.type != "object_creation_expression" or method is None or source.name(method) != "main":
            continue
        stays = any(
            source.name(later) == "await"
            and not source.arguments(later)
            and source.type_of(later.child_by_field_name("object")) == "CountDownLatch"
            for later in source.within(method)
            if later.start_byte > call.start_byte
        )
        if stays and source.type_of(made) == "KafkaStreams" and source.is_of("KafkaStreams", _HOMES[0]) and not source.local_only(call):
            sheet.out.oddity("streams-unwatched", "KafkaStreams", source.span(made.child_by_field_name("type") or made))


def _threads_replaced(sheet: Sheet) -> None:
    """What Kafka Streams asks about a failure, and that answers each with a new thread."""
    source = sheet.source
    if "REPLACE_THREAD" not in source.text:
        return
    asked = [given for call in source.named(*_ASKED) for given in source.arguments(call)[:1] if given.type == "lambda_expression"]
    methods = below(source.root, "method_declaration")
    asked += [node for node in methods if "StreamThreadExceptionResponse" in source.written(node.child_by_field_name("type"))]
    for node in asked:
        body = node.child_by_field_name("body")
        text = source.written(body)
        for comment in (*below(node, "line_comment"), *below(node, "block_comment")):
            text = text.replace(source.written(comment), "")
        answer = next((one for one in below(node, "identifier") if source.written(one) == "REPLACE_THREAD"), None)
        if body is not None and answer is not None and not _WEIGHED.search(text):
            sheet.out.oddity("streams-thread-replaced", "REPLACE_THREAD", source.span(answer))


def _streams_never_closed(sheet: Sheet) -> None:
    """A Kafka Streams application that `main` starts, in a file that closes nothing and hands it to nobody."""
    source = sheet.source
    if source.named("close") or _CLOSES.search(source.text):
        return
    if any(source.type_of(given) == "KafkaStreams" for pairs in source.handed.values() for _, given in pairs):
        return
    for call in source.named("start"):
        made, method = source.origin(call.child_by_field_name("object")), source.method_of(call)
        if made is None or made.type != "object_creation_expression" or method is None or source.name(method) != "main":
            continue
        if source.type_of(made) == "KafkaStreams" and source.is_of("KafkaStreams", _HOMES[0]) and not source.local_only(call):
            sheet.out.oddity("streams-never-closed", "KafkaStreams", source.span(made.child_by_field_name("type") or made))


def _exits_well(sheet: Sheet) -> None:
    """Handlers that tell of a failure and end the program with exit code 0."""
    source = sheet.source
    for call in source.named("exit"):
        if source.written(call.child_by_field_name("object")) != "System" or [source.written(at) for at in source.arguments(call)] != ["0"]:
            continue
        statement = call.parent
        block = statement.parent if statement is not None and statement.type == "expression_statement" else None
        clause = block.parent if block is not None else None
        if statement is None or block is None or clause is None or clause.type != "catch_clause":
            continue
        caught = source.written(clause.named_children[0])
        before = [node for node in block.named_children if node.end_byte <= statement.start_byte]
        if (
            not _ASKED_FOR.search(caught)
            and any(logs(sheet, node) for node in before)
            and all(logs(sheet, node) is not None for node in before)
        ):
            sheet.out.oddity("exits-well", "exit", sheet.name_span(call), caught)


def _loop_ends_well(sheet: Sheet) -> None:
    """Handlers for every failure around the endless loop in which `main` polls, behind which the program only closes what it has, and ends."""
    source, seen = sheet.source, set[int]()
    for call in source.named("poll"):
        method, loop = source.method_of(call), loop_around(call, None)
        if method is None or source.name(method) != "main" or loop is None or not _is_consumer(sheet, call.child_by_field_name("object")):
            continue
        while (outer := loop_around(loop, None)) is not None:
            loop = outer
        guarded = loop.parent.parent if loop.parent is not None else None
        endless = loop.type == "while_statement" and source.written(loop.child_by_field_name("condition")) in ("(true)", "true")
        if guarded is None or guarded.id in seen or not endless or not guarded.type.startswith("try") or not _ends_behind(sheet, guarded):
            continue
        seen.add(guarded.id)
        for clause in (child for child in guarded.children if child.type == "catch_clause"):
            caught, handled = source.written(clause.named_children[0]), clause.child_by_field_name("body")
            if handled is not None and _EVERY.match(caught) and all(_ends_it(sheet, node) for node in handled.named_children):
                sheet.out.oddity("exits-well", "catch", source.span(clause.named_children[0]), caught)


def _ends_behind(sheet: Sheet, guarded: Node) -> bool:
    """Whether nothing but logging and closing stands behind a `try` in `main`, and in its `finally`."""
    block = guarded.parent
    if block is None or block.parent is None or block.parent.type != "method_declaration":
        return False
    behind = [node for node in block.named_children if node.start_byte >= guarded.end_byte]
    for clause in guarded.children:
        inner = clause.named_children[-1] if clause.type == "finally_clause" and clause.named_children else None
        behind += inner.named_children if inner is not None else []
    return all(_ends_it(sheet, node) for node in behind)


def _ends_it(sheet: Sheet, node: Node) -> bool:
    """Whether a statement only logs, or closes something."""
    call = node.named_children[0] if node.type == "expression_statement" and node.named_children else None
    closes = call is not None and call.type == "method_invocation" and sheet.source.name(call) in _CLOSING
    return closes or logs(sheet, node) is not None


def by_producer(sheet: Sheet, call: Node) -> bool:
    kind = sheet.source.type_of(call.child_by_field_name("object"))
    return kind in PRODUCERS and sheet.source.imports.get(kind, "org.apache.kafka.").startswith("org.apache.kafka.")
