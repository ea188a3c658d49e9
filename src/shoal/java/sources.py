"""Sources in Java that do not hear of a cancel: loops in `run` without an end that nothing reaches.

`flink stop` calls `cancel()` and waits for `run` to return, without an interrupt (SourceStreamTask of Flink 1.14 to 2.1); a cancel interrupts the thread, too.
"""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from shoal.java.functions import SOURCE, kinds_of, loop_around, own_nodes, with_helpers
from shoal.java.sheet import Sheet
from shoal.java.source import below
from shoal.java.waits import swallows_interrupt
from shoal.java.writes import logs
from shoal.python.values import Known

_LOOPS = ("while_statement", "do_statement", "for_statement")


def collect(sheet: Sheet) -> None:
    source = sheet.source
    for method in source.methods:
        body = method.child_by_field_name("body")
        if body is None or source.name(method) != "run" or not any(map(SOURCE.fullmatch, kinds_of(sheet, method))):
            continue
        _unseen(sheet, method, body)
        unheard = _does_nothing(sheet, method)
        for run in with_helpers(sheet, body, set()):
            for loop in _endless(sheet, run):
                _loop(sheet, run, loop, unheard)


def _loop(sheet: Sheet, body: Node, loop: Node, unheard: bool) -> None:
    """What is said of a loop: that it catches the interrupt is worse than that it does not look at a flag."""
    for clause in own_nodes(body, "catch_clause"):
        how = swallows_interrupt(sheet, clause) if loop_around(clause, body) == loop else ""
        if how == "broad" or (how and unheard):
            sheet.out.oddity("interrupt-swallowed", "run", sheet.source.span(clause.children[0]))
            return
    if unheard:
        sheet.out.oddity("source-ignores-cancel", "run", sheet.source.span(loop.children[0]))


def _endless(sheet: Sheet, body: Node) -> Iterator[Node]:
    """The outermost loops of a body that nothing in them leaves but an exception."""
    text = sheet.source.text
    for kind in _LOOPS:
        for loop in own_nodes(body, kind):
            asks = "nterrupted()" in text[loop.start_byte : loop.end_byte]
            if loop_around(loop, body) is None and not asks and _always(sheet, loop) and not any(map(list, _exits(loop))):
                yield loop


def _exits(loop: Node) -> Iterator[Iterator[Node]]:
    inner = loop.child_by_field_name("body")
    for kind in ("break_statement", "return_statement"):
        yield own_nodes(inner, kind) if inner is not None else iter(())


def _always(sheet: Sheet, loop: Node) -> bool:
    """Whether the condition of a loop always holds: it is `true`, or the name of something that nobody changes."""
    asked = loop.child_by_field_name("condition")
    if asked is None:
        return loop.type == "for_statement"
    if sheet.source.value(asked) != Known(True):
        return False
    inner = asked.named_children[0] if asked.type == "parenthesized_expression" and asked.named_children else asked
    declared = sheet.source.declaration(sheet.source.written(inner).removeprefix("this."), inner)
    field = declared.node.parent if declared is not None and declared.kind == "field" else None
    return field is None or bool({"private", "final"} & set(sheet.source.written(field.children[0]).split()))


def _does_nothing(sheet: Sheet, run: Node) -> bool:
    """Whether `cancel()` of the class changes nothing that anybody looks at."""
    source, owner = sheet.source, sheet.source.class_of(run)
    found = [method for method in source.methods if source.name(method) == "cancel" and source.class_of(method) == owner]
    body = found[0].child_by_field_name("body") if len(found) == 1 else None
    if body is None:
        return False
    return all(logs(sheet, node) is not None or _unread(sheet, node) for node in body.named_children)


def _unseen(sheet: Sheet, run: Node, body: Node) -> None:
    """Flags that a loop of `run` asks for and `cancel()` clears, in another thread, and that are not volatile."""
    source, owner = sheet.source, sheet.source.class_of(run)
    for kind in _LOOPS:
        for loop in own_nodes(body, kind):
            for node in below(asked, "identifier") if (asked := loop.child_by_field_name("condition")) is not None else ():
                declared = source.declaration(source.written(node), node)
                field = declared.node.parent if declared is not None and declared.kind == "field" and declared.type == "boolean" else None
                if declared is None or field is None or "volatile" in source.written(field.children[0]).split():
                    continue
                clears = [
                    one
                    for one in source.assigned(declared)
                    if (method := source.method_of(one)) and source.name(method) == "cancel" and source.class_of(method) == owner
                ]
                if clears:
                    related = sheet.out.place(source.span(clears[0]))._replace(role="related", label="another thread does this")
                    sheet.out.oddity("flag-not-volatile", declared.name, source.span(declared.node), related=(related,))
                    return


def _unread(sheet: Sheet, node: Node) -> bool:
    """Whether a statement sets a field that nothing in this file reads."""
    source = sheet.source
    given = node.named_children[0] if node.type == "expression_statement" and node.named_children else None
    if given is None or given.type != "assignment_expression":
        return False
    name = source.written(given.child_by_field_name("left")).removeprefix("this.")
    declared = source.declaration(name, given)
    if declared is None or declared.kind != "field":
        return False
    return sum(source.written(one) == name for one in below(source.root, "identifier")) == len(source.assigned(declared)) + 1
