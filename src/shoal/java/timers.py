"""Timers of Flink that are deleted where it is too late."""

from __future__ import annotations

import re

from tree_sitter import Node

from shoal.java.functions import asks, loop_around
from shoal.java.sheet import Sheet
from shoal.java.source import below

_DELETES = frozenset({"deleteProcessingTimeTimer", "deleteEventTimeTimer"})
_REGISTERS = frozenset({"registerProcessingTimeTimer", "registerEventTimeTimer"})
_KEEPS = frozenset({"update", "add", "addAll", "put", "putAll"})
_DEEP = 3  # names that stand for a name


def deleted_timers(sheet: Sheet, method: Node, body: Node) -> None:
    """Timers that `onTimer` deletes in a loop, or that came after the one that fires."""
    for call in sheet.source.within(body):
        if sheet.source.name(call) not in _DELETES:
            continue
        if loop_around(call, body):
            sheet.out.oddity("timers-deleted", sheet.source.name(call), sheet.name_span(call), "in a loop")
        elif _later(sheet, method, call):
            sheet.out.oddity("timers-deleted", sheet.source.name(call), sheet.name_span(call), "with the time that the last record kept")


def _later(sheet: Sheet, method: Node, call: Node) -> bool:
    """Whether a deleted timer is the one of the last record: its time is kept in a state that each record overwrites and for which each record
    registers a timer, while none of the earlier ones is deleted. To delete the one that fires does nothing."""
    source, owner = sheet.source, sheet.source.class_of(call)
    given, parameters = next(iter(source.arguments(call)), None), method.child_by_field_name("parameters")
    if given is not None and given.type == "identifier" and (declared := source.declaration(source.written(given), given)) is not None:
        given = source.given(declared)
    if given is None or given.type != "method_invocation" or source.name(given) != "value" or owner is None or parameters is None:
        return False
    state = source.written(given.child_by_field_name("object")).removeprefix("this.")
    fired = source.written(parameters.named_children[0].child_by_field_name("name")) if parameters.named_children else ""
    asked = [condition for node in below(method, "if_statement") if (condition := node.child_by_field_name("condition")) is not None]
    mine = [other for other in source.within(owner) if source.class_of(other) == owner and source.method_of(other) != method]
    if any(source.name(other) in _DELETES for other in mine) or any(fired in asks(sheet, condition) for condition in asked):
        return False
    registered = {source.written(source.arguments(other)[0]) for other in mine if _each(sheet, other, _REGISTERS)}
    kept = {
        source.written(source.arguments(other)[0])
        for other in mine
        if _each(sheet, other, frozenset({"update"})) and source.written(other.child_by_field_name("object")).removeprefix("this.") == state
    }
    return bool(registered & kept)


def set_by_clock(sheet: Sheet) -> None:
    """Event-time timers whose time is put together of the clock and numbers, where no timestamp assigner takes the clock for the records' own time."""
    source = sheet.source
    for call in source.named("registerEventTimeTimer"):
        given = source.arguments(call)
        clock = _clock(sheet, given[0], 0) if len(given) == 1 else None
        if clock is not None and not _stamped_by_clock(sheet):
            sheet.out.oddity("event-timer-by-clock", source.name(call), sheet.name_span(call), source.written(clock))


def _stamped_by_clock(sheet: Sheet) -> bool:
    """Whether records have the time of the clock for their own."""
    source = sheet.source
    assigners = [
        *source.named("withTimestampAssigner"),
        *(method for method in source.methods if source.name(method) == "extractTimestamp"),
    ]
    return any(re.search(r"currentTimeMillis|now\(\)|currentProcessingTime", source.written(node)) for node in assigners)


def _clock(sheet: Sheet, node: Node, level: int) -> Node | None:
    """The call of a clock that a time is put together of, with numbers alone; None where anything else is in it."""
    source, node = sheet.source, _meant(sheet, node)
    if level > _DEEP:
        return None
    if node.type == "parenthesized_expression" and node.named_children:
        return _clock(sheet, node.named_children[0], level + 1)
    if node.type == "method_invocation":
        now = source.name(node) == "currentProcessingTime" or source.written(node) == "System.currentTimeMillis()"
        return node if now else None
    if node.type != "binary_expression":
        return None
    sides = [side for side in (node.child_by_field_name("left"), node.child_by_field_name("right")) if side is not None]
    clocks = [_clock(sheet, side, level + 1) for side in sides]
    plain = all(clock is not None or _plain(sheet, side) for clock, side in zip(clocks, sides, strict=True))
    return next((clock for clock in clocks if clock is not None), None) if plain else None


def _plain(sheet: Sheet, node: Node) -> bool:
    """A number, or a constant: `15 * 60 * 1000`, `GAP_MS`, `Duration.ofMinutes(5).toMillis()`."""
    written = sheet.source.written(node)
    return (
        re.fullmatch(r"(?:[\d_]+[lL]?|[A-Z][A-Z0-9_]*|(?:Duration|TimeUnit|Time)\.[\w.]+\([\w.]*\)(?:\.\w+\(\))?|[\s()*+-])+", written)
        is not None
    )


def cleared_early(sheet: Sheet, method: Node, body: Node) -> None:
    """State that `onTimer` clears whichever timer fires, where each record sets one of its own: the first clears what later records count on."""
    source, owner, parameters = sheet.source, sheet.source.class_of(method), method.child_by_field_name("parameters")
    fired = source.written(parameters.named_children[0].child_by_field_name("name")) if parameters and parameters.named_children else ""
    if owner is None or not fired or re.search(rf"\b(?:if|switch|return|{re.escape(fired)})\b|\?", source.written(body)):
        return
    mine = [other for other in source.within(owner) if source.class_of(other) == owner]
    if any(source.name(other) in _DELETES for other in mine):
        return
    entry = [
        other for other in mine if (inside := source.method_of(other)) is not None and source.name(inside).startswith("processElement")
    ]
    kept = {source.written(other.child_by_field_name("object")) for other in entry if source.name(other) in _KEEPS}
    clears = [
        other
        for other in source.within(body)
        if source.name(other) == "clear" and source.written(other.child_by_field_name("object")) in kept
    ]
    sets = [(other, how) for other in entry if _each(sheet, other, _REGISTERS) and (how := _ahead(sheet, other))]
    if clears and sets:
        place = sheet.out.place(sheet.name_span(sets[0][0]))._replace(role="related", label="each record sets a timer")
        sheet.out.oddity(
            f"cleared-early-{sets[0][1]}",
            source.written(clears[0].child_by_field_name("object")),
            sheet.name_span(clears[0]),
            related=(place,),
        )


def _ahead(sheet: Sheet, call: Node) -> str:
    """How a timer lies some time ahead: of the clock, so that each record has another, or of the `record`, of which several may have one time; else empty."""
    source = sheet.source
    given = _meant(sheet, source.arguments(call)[0])
    left, right = given.child_by_field_name("left"), given.child_by_field_name("right")
    if left is None or right is None or source.written(given.child_by_field_name("operator")) != "+":
        return ""
    since, ahead = source.written(_meant(sheet, left)), source.written(right)
    if re.search(r"[/%]|(?i:window|end|bucket|round|ceil|floor|next|trunc|day|hour)", since) or re.fullmatch(r"\d{1,3}[lL]?", ahead):
        return ""  # a time that the records of a window share, or just behind one
    return "clock" if re.search(r"currentProcessingTime\(\)|currentTimeMillis\(\)", since) else "record"


def _meant(sheet: Sheet, node: Node) -> Node:
    """What a name stands for."""
    for _ in range(_DEEP):
        declared = sheet.source.declaration(sheet.source.written(node), node) if node.type == "identifier" else None
        given = sheet.source.given(declared) if declared is not None else None
        if given is None:
            break
        node = given
    return node


def _each(sheet: Sheet, call: Node, called: frozenset[str]) -> bool:
    """Whether a call of such a name is made for every record."""
    source, method = sheet.source, sheet.source.method_of(call)
    ours = method is not None and source.name(method).startswith("processElement")
    early = method is not None and any(node.start_byte < call.start_byte for node in below(method, "return_statement"))
    return ours and not early and source.name(call) in called and len(source.arguments(call)) == 1 and not source.conditional(call)
