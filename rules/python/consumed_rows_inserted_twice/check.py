"""`execute("INSERT INTO …")` in the loop of a Kafka consumer, in a function that the loop calls, and in what Quix Streams and Faust run for each record."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from shoal.context import Context
from shoal.inserts import plain_insert, replaces
from shoal.job import Job
from shoal.model import Finding
from shoal.python import clients
from shoal.python.dbapi import EXECUTES, LOOKS, MINDED, statement
from shoal.python.tree import Call

_LEVELS = 4
_MESSAGE = "a record that is read again after a crash, before its offset was committed, is inserted once more, or fails where a key forbids that; update what is there (ON CONFLICT, ON DUPLICATE KEY, MERGE)"


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    source = module.text.text
    if replaces(source) or MINDED.search(source):
        return
    for consumer in clients.held(module, clients.CONSUMERS):
        loops = clients.record_loops(module, consumer)
        committed = bool(clients.uses(module, consumer, "commit"))
        for call in module.named(*EXECUTES):
            direct = clients.in_loops(call.spot, loops)
            if not (direct and committed) and (direct or not clients.called_in(module, call, loops, _LEVELS)):
                continue
            if plain_insert(statement(module, call)) is None or any(
                _looks(statement(module, other)) for other in _beside(module, call, loops)
            ):
                continue
            yield context.finding(_MESSAGE, module.call_place(call), covers=[module.covers(call)])
            return
    for call, where in module.contexts.calls("step", "agent", "record"):
        ours = where.kind == "record" or where.engine in ("quix", "faust")
        if not ours or call.name not in EXECUTES or plain_insert(statement(module, call)) is None:
            continue
        if not any(_looks(statement(module, other)) for other in _beside(module, call, set())):
            yield context.finding(_MESSAGE, module.call_place(call), covers=[module.covers(call)])
            return


def _looks(text: str) -> bool:
    """Whether a statement deletes, or asks for a row: not whether there is a table."""
    return LOOKS.match(text) is not None and "information_schema" not in text.lower()


def _beside(module: Any, call: Call, loops: set[int]) -> list[Call]:
    """The other statements of the same function, or of the same loop."""
    return [
        other
        for other in module.named(*EXECUTES)
        if other is not call and other.function is call.function and (call.function is not None or clients.in_loops(other.spot, loops))
    ]
