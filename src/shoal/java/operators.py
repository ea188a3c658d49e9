"""What operators written in Java do that stalls a job: futures that nobody completes, waits without a bound, swallowed interrupts, deleted timers.

Everything here runs on the one thread of a task, which also handles barriers, timers and watermarks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from shoal.java.sheet import Sheet
from shoal.java.source import below
from shoal.python.values import Known, Millis, names, options

# Methods that a task runs for records and timers, by the classes that have them.
_OPERATOR = re.compile(
    r"(?:Rich)?(?:(?:Flat)?Map|CoMap|CoFlatMap|Filter|Sink|Reduce|Aggregate|Join|CoGroup|FlatJoin|Window|AllWindow)Function|TwoPhaseCommitSinkFunction"
    r"|(?:Keyed|Co|KeyedCo|Broadcast|KeyedBroadcast|ProcessWindow|ProcessAllWindow|ProcessJoin)?(?:Process)?Function|(?:Rich)?AsyncFunction"
    r"|(?:Stateful|Committing|TwoPhaseCommitting)?SinkWriter"
)
_METHODS = names(
    "map map1 map2 flatMap flatMap1 flatMap2 filter invoke reduce process processElement processElement1 processElement2 processBroadcastElement "
    "onTimer asyncInvoke apply join write flush"
)
# Waits without a timeout: by type the methods, and how many arguments they then have.
_WAITS: dict[str, tuple[dict[str, tuple[int, ...]], str]] = {
    "RingBuffer": ({"next": (0, 1)}, "the claim of a slot in a ring buffer"),
    "Disruptor": ({"publishEvent": (1, 2, 3)}, "the claim of a slot in a ring buffer"),
    "BlockingQueue": ({"put": (1,), "take": (0,)}, "a bounded queue"),
    "BlockingDeque": ({"put": (1,), "take": (0,), "putLast": (1,), "takeFirst": (0,)}, "a bounded queue"),
    "ArrayBlockingQueue": ({"put": (1,), "take": (0,)}, "a bounded queue"),
    "LinkedBlockingQueue": ({"put": (1,), "take": (0,)}, "a queue"),
    "LinkedBlockingDeque": ({"put": (1,), "take": (0,)}, "a queue"),
    "SynchronousQueue": ({"put": (1,), "take": (0,)}, "a queue"),
    "CountDownLatch": ({"await": (0,)}, "a latch"),
    "CyclicBarrier": ({"await": (0,)}, "a barrier"),
    "Semaphore": ({"acquire": (0, 1), "acquireUninterruptibly": (0, 1)}, "a semaphore"),
    "Future": ({"get": (0,)}, "a future"),
    "CompletableFuture": ({"get": (0,), "join": (0,)}, "a future"),
    "ListenableFuture": ({"get": (0,)}, "a future"),
    "Thread": ({"join": (0,)}, "a thread"),
    "Process": ({"waitFor": (0,)}, "another process"),
}
# `RingBuffer.next` does not even see an interrupt: it parks for a nanosecond and looks again, for ever (disruptor 3.4 and 4.0).
_DEAF = frozenset({"RingBuffer", "Disruptor", "acquireUninterruptibly"})
_LONG = 500  # milliseconds of sleep that matter
_DELETES = frozenset({"deleteProcessingTimeTimer", "deleteEventTimeTimer"})
_LOOPS = frozenset({"for_statement", "enhanced_for_statement", "while_statement", "do_statement"})
_NESTED = frozenset({"lambda_expression", "class_body", "class_declaration"})
_ANSWERS = ("exceptionally", "whenComplete", "handle", "completeExceptionally", "onFailure", "onError", "orTimeout", "completeOnTimeout")


def collect(sheet: Sheet) -> None:
    source = sheet.source
    for method in source.methods:
        body = method.child_by_field_name("body")
        name = source.name(method)
        if body is None or not (name in _METHODS or name == "timeout"):
            continue
        kinds = _kinds(sheet, method)
        if any(kind.endswith("AsyncFunction") for kind in kinds) and name in ("asyncInvoke", "timeout"):
            _future(sheet, method, body)
        if name in _METHODS and any(_OPERATOR.fullmatch(kind) for kind in kinds):
            _waits(sheet, body, name)
            if name == "onTimer":
                _timers(sheet, body)


def _kinds(sheet: Sheet, method: Node) -> list[str]:
    """What the class of a method extends and implements, by simple names: Flink's alone, as far as imports say whose they are."""
    source = sheet.source
    owner = source.class_of(method)
    if owner is None:
        return []
    if owner.type == "object_creation_expression":
        named = [source.type_of(owner)]
    else:
        named = []
        for field in ("superclass", "interfaces"):
            part = owner.child_by_field_name(field)
            named += (
                re.findall(r"([A-Z]\w*)(?=\s*(?:<|,|\{|$))", re.sub(r"<.*>", "", source.written(part), flags=re.DOTALL)) if part else []
            )
    return [name for name in named if source.imports.get(name, "org.apache.flink.").startswith("org.apache.flink.")]


# -- futures of async operators


def _future(sheet: Sheet, method: Node, body: Node) -> None:
    """Paths through `asyncInvoke` or `timeout` on which nothing is done with the result's future."""
    source = sheet.source
    name = source.name(method)
    parameters = method.child_by_field_name("parameters")
    found = parameters.named_children[-1] if parameters is not None and parameters.named_children else None
    future = source.written(found.child_by_field_name("name")) if found is not None else ""
    if not future or len(parameters.named_children if parameters else ()) != 2:
        return
    mention = re.compile(rf"\b{re.escape(future)}\b")
    statements = [node for node in body.named_children if not node.type.endswith("comment")]

    def mentions(node: Node) -> bool:
        return bool(mention.search(source.written(node)))

    if not mentions(body):
        if not any(_ends(node) for node in statements) and f"super.{name}" not in source.written(body):
            sheet.out.oddity("future-not-completed", name, sheet.name_span(method), "is never completed")
        return
    for node in _own(body, "return_statement"):
        if not any(mentions(before) for before in _before(node, body)):
            sheet.out.oddity("future-not-completed", name, source.span(node), "is not completed before this return")
    last = statements[-1]
    if last.type == "if_statement" and last.child_by_field_name("alternative") is None and not any(map(mentions, statements[:-1])):
        sheet.out.oddity(
            "future-not-completed", name, source.span(last.child_by_field_name("condition") or last), "is not completed when this is false"
        )
    for node in _own(body, "catch_clause"):
        attempt = node.parent
        inner = node.child_by_field_name("body")
        if attempt is None or inner is None or mentions(inner) or any(_own(inner, "throw_statement")):
            continue
        if mentions(attempt) and not any(mentions(after) for after in _after(attempt, body)):
            sheet.out.oddity("future-not-completed", name, source.span(node.children[0]), "is not completed when this catches an exception")
    text = source.written(body)
    for call in source.calls:
        if (
            source.name(call) in ("thenAccept", "thenAcceptAsync", "thenApply", "thenRun")
            and body.start_byte <= call.start_byte < body.end_byte
        ):
            given = source.arguments(call)
            if given and mentions(given[0]) and not any(answer in text for answer in _ANSWERS):
                sheet.out.oddity("future-failure-unseen", name, sheet.name_span(call))
                break


def _own(body: Node, kind: str) -> Iterator[Node]:
    """The nodes of a type that belong to a method itself: not those of lambdas and classes in it."""
    for node in below(body, kind):
        at = node.parent
        while at is not None and at != body and at.type not in _NESTED:
            at = at.parent
        if at == body:
            yield node


def _before(node: Node, body: Node) -> Iterator[Node]:
    """What surely or possibly ran before a statement: those before it in each block around it, and the heads of what it stands in."""
    at = node
    while at != body and at.parent is not None:
        parent = at.parent
        if parent.type in ("block", "switch_block_statement_group", "try_statement", "try_with_resources_statement", "catch_clause"):
            yield from (child for child in parent.named_children if child.end_byte <= at.start_byte)
        elif (head := parent.child_by_field_name("condition")) is not None and head != at:
            yield head
        at = parent


def _after(node: Node, body: Node) -> Iterator[Node]:
    """What runs after a statement, and its `finally`."""
    yield from (child for child in node.children if child.type == "finally_clause")
    at = node
    while at != body and at.parent is not None:
        if at.parent.type == "block":
            yield from (child for child in at.parent.named_children if child.start_byte >= at.end_byte)
        at = at.parent


def _ends(node: Node) -> bool:
    return node.type == "throw_statement"


# -- waits


def _waits(sheet: Sheet, body: Node, method: str) -> None:
    source = sheet.source
    for call in source.calls:
        if not body.start_byte <= call.start_byte < body.end_byte or not _on_task_thread(call, body):
            continue
        name, given = source.name(call), source.arguments(call)
        owner = call.child_by_field_name("object")
        kind = source.type_of(owner)
        if kind == "class:Thread" and name == "sleep" and given:
            _sleep(sheet, call, given[0], method)
            continue
        methods, what = _WAITS.get(kind, ({}, ""))
        if name in methods and len(given) in methods[name]:
            deaf = " and takes no notice of an interrupt" if kind in _DEAF or name in _DEAF else ""
            sheet.out.oddity("endless-wait", f"{kind}.{name}", sheet.name_span(call), f"{what} without a timeout{deaf}")
    for clause in _own(body, "catch_clause"):
        caught = source.written(clause.named_children[0]) if clause.named_children else ""
        inner = clause.child_by_field_name("body")
        if "InterruptedException" not in caught or inner is None:
            continue
        text = source.written(inner)
        loop = _loop_around(clause, body)
        if loop is not None and "interrupt()" not in text and not re.search(r"\b(?:throw|return|break)\b", text):
            sheet.out.oddity("interrupt-swallowed", method, source.span(clause.children[0]))


def _sleep(sheet: Sheet, call: Node, node: Node, method: str) -> None:
    for way in options(sheet.source.value(node)):
        if isinstance(way, (Known, Millis)) and isinstance(way.value, (int, float)) and (way.value >= _LONG or _loop_around(call, None)):
            sheet.out.oddity("sleep", method, sheet.name_span(call), f"{int(way.value):,} ms")
            return


def _on_task_thread(call: Node, body: Node) -> bool:
    """Whether a call runs where the method does: not in a lambda or class that something else may run."""
    at = call.parent
    while at is not None and at != body:
        if at.type in _NESTED:
            return False
        at = at.parent
    return True


def _loop_around(node: Node, body: Node | None) -> Node | None:
    at = node.parent
    while at is not None and at != body and at.type not in ("method_declaration", *_NESTED):
        if at.type in _LOOPS:
            return at
        at = at.parent
    return None


# -- timers


def _timers(sheet: Sheet, body: Node) -> None:
    """Timers that `onTimer` deletes in a loop."""
    for call in sheet.source.calls:
        if sheet.source.name(call) in _DELETES and body.start_byte <= call.start_byte < body.end_byte and _loop_around(call, body):
            sheet.out.oddity("timers-deleted", sheet.source.name(call), sheet.name_span(call))
