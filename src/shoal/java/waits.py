"""Waits of operators without a bound: queues, latches and futures, sleeps, and loops that swallow an interrupt."""

from __future__ import annotations

import re

from tree_sitter import Node

from shoal.java.functions import leaves, loop_around, on_task_thread, own_nodes, tries_around
from shoal.java.sheet import Sheet
from shoal.java.source import below
from shoal.java.values import unit_of
from shoal.lazy import pattern
from shoal.python.values import UNKNOWN, Known, Millis, names, options

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
_CLOCK = pattern(r"\bSystem\s*\.\s*(?:nanoTime|currentTimeMillis)\(|\.\s*(?:hasTimeLeft|isOverdue)\(")
_OVER = pattern(r"\.\s*(?:orTimeout|completeOnTimeout)\(")
_EACH = names("forEach map")
_LONG = 500  # milliseconds of sleep that matter
_UNIT = pattern(r"(?:java\.util\.concurrent\.)?TimeUnit\.(?:DAYS|HOURS|MINUTES|SECONDS|MILLISECONDS)")
_ANY = pattern(r"\b(?:Exception|Throwable)\b")
_QUEUE = names("put take poll offer putLast takeFirst")
# What throws InterruptedException, by type.
_INTERRUPTIBLE = {
    **dict.fromkeys(("BlockingQueue", "BlockingDeque", "ArrayBlockingQueue", "LinkedBlockingQueue", "LinkedBlockingDeque"), _QUEUE),
    **dict.fromkeys(("CountDownLatch", "CyclicBarrier"), names("await")),
    **dict.fromkeys(("Future", "CompletableFuture", "ListenableFuture"), names("get")),
    "Semaphore": names("acquire"),
    "Thread": names("join"),
    "Process": names("waitFor"),
}


def unbounded_waits(sheet: Sheet, body: Node, method: str) -> None:
    source = sheet.source
    for call in source.within(body):
        if not on_task_thread(call, body):
            continue
        name, given = source.name(call), source.arguments(call)
        owner = call.child_by_field_name("object")
        kind = source.type_of(owner)
        if kind == "class:Thread" and name == "sleep" and given:
            _sleep(sheet, call, given[0], method)
            continue
        if name == "sleep" and given and owner is not None and _UNIT.fullmatch(source.written(owner)):
            _sleep(sheet, call, given[0], method, unit_of(source, owner))
            continue
        if name == "join" and not kind and owner is not None and owner.type == "method_invocation":
            kind = "CompletableFuture"  # what else a call gives that is joined by no argument is a thread, which waits as long
        methods, what = _WAITS.get(kind, ({}, ""))
        if name in methods and len(given) in methods[name] and not _bounded(sheet, owner):
            deaf = " and takes no notice of an interrupt" if kind in _DEAF or name in _DEAF else ""
            sheet.out.oddity("endless-wait", f"{kind}.{name}", sheet.name_span(call), f"{what} without a timeout{deaf}")
    for named in own_nodes(body, "method_reference"):  # `futures.forEach(CompletableFuture::join)`
        kind, _, name = source.written(named).partition("::")
        given_to = named.parent.parent if named.parent is not None else None
        awaits = "Future" in kind and name in _WAITS.get(kind, ({}, ""))[0]
        if awaits and given_to is not None and source.name(given_to) in _EACH:
            sheet.out.oddity("endless-wait", f"{kind}.{name}", source.span(named), "a future without a timeout")
    for clause in own_nodes(body, "catch_clause"):
        how, loop = swallows_interrupt(sheet, clause), loop_around(clause, body)
        if loop is not None and how and (how == "named" or _tries_for_ever(sheet, loop, clause)):
            sheet.out.oddity("interrupt-swallowed", method, source.span(clause.children[0]))


def _bounded(sheet: Sheet, future: Node | None) -> bool:
    """Whether a future is given a time after which it is completed whatever comes."""
    source = sheet.source
    declared = source.declaration(source.written(future), future) if future is not None and future.type == "identifier" else None
    made = source.given(declared) if declared is not None else future
    return _OVER.search(source.written(made)) is not None


def swallows_interrupt(sheet: Sheet, clause: Node) -> str:
    """Whether a handler catches an interrupt and does as if there had been none: `named` or, with all other exceptions, `broad`; else empty."""
    source, attempt, inner = sheet.source, clause.parent, clause.child_by_field_name("body")
    guarded = attempt.child_by_field_name("body") if attempt is not None else None
    if attempt is None or inner is None or guarded is None or not clause.named_children:
        return ""
    text = source.written(inner)
    if "interrupt()" in text or re.search(r"\b(?:throw|return|break)\b", text):
        return ""
    if "InterruptedException" in source.written(clause.named_children[0]):
        return "named"
    before = [child for child in attempt.children if child.type == "catch_clause" and child.start_byte < clause.start_byte]
    caught = any("Interrupted" in source.written(child.named_children[0]) for child in before)
    return "broad" if not caught and _ANY.search(source.written(clause.named_children[0])) and _interruptible(sheet, guarded) else ""


def _interruptible(sheet: Sheet, guarded: Node) -> bool:
    """Whether a block itself waits by something that throws InterruptedException."""
    source = sheet.source
    for call in source.within(guarded):
        kind, name = source.type_of(call.child_by_field_name("object")), source.name(call)
        known = name in _INTERRUPTIBLE.get(kind, ()) or (kind == "class:Thread" and name == "sleep")
        if (
            known
            and source.arguments(call)[2:] == []
            and not any(True for _ in tries_around(call, guarded))
            and on_task_thread(call, guarded)
        ):
            return True
    return False


def _tries_for_ever(sheet: Sheet, loop: Node, clause: Node) -> bool:
    """Whether a loop goes on after a handler for as long as it takes: it is none that counts."""
    head = sheet.source.text[loop.start_byte : loop.child_by_field_name("body").start_byte]  # type: ignore[union-attr]
    counts = loop.type in ("for_statement", "enhanced_for_statement") or re.search(r"(?i)attempt|retr|tries|[<>]", head)
    return not counts and "++" not in sheet.source.written(clause)


def _sleep(sheet: Sheet, call: Node, node: Node, method: str, unit: int = 1) -> None:
    ways = options(sheet.source.value(node))
    # a `flush` that looks again and again whether everything is written does what a checkpoint waits for
    again = method != "flush" and (loop := loop_around(call, None)) is not None and not _until(sheet, loop)
    for way in ways:
        if isinstance(way, Known) and isinstance(way.value, int):
            way = way._replace(value=way.value * unit)
        if isinstance(way, (Known, Millis)) and isinstance(way.value, (int, float)) and (way.value >= _LONG or again):
            sheet.out.oddity("sleep", method, sheet.name_span(call), f"{int(way.value):,} ms")
            return
    if method != "flush" and UNKNOWN in ways:
        sheet.out.oddity("sleep-unknown", method, sheet.name_span(call), sheet.source.written(node))


def _until(sheet: Sheet, loop: Node) -> bool:
    """Whether a loop looks at the clock to see when to give up: in its condition, or in that of an `if` that leaves it."""
    asked = [loop.child_by_field_name("condition")]
    for node in below(loop, "if_statement"):
        work = node.child_by_field_name("consequence")
        if work is not None and (leaves(work) or any(below(work, "break_statement"))):
            asked.append(node.child_by_field_name("condition"))
    return any(_CLOCK.search(sheet.source.written(condition)) for condition in asked)
