"""`execute("INSERT INTO …")` in the loop of a Kafka consumer, or in a function that the loop calls."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from shoal.context import Context
from shoal.inserts import plain_insert, replaces
from shoal.job import Job
from shoal.model import Finding
from shoal.python import clients
from shoal.python.texts import text_of
from shoal.python.tree import Call
from shoal.text import MASK

_EXECUTES = ("execute", "executemany", "execute_values", "execute_batch")
# What shows that a row which is there already is thought of.
_MINDED = re.compile(r"IntegrityError|UniqueViolation|DuplicateKey|UniqueConstraint")
_LOOKS = re.compile(r"(?is)\s*(?:delete|truncate|select\b.*\bwhere)\b")
_LEVELS = 4


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    source = module.text.text
    if replaces(source) or _MINDED.search(source):
        return
    for consumer in clients.held(module, clients.CONSUMERS):
        loops = clients.record_loops(module, consumer)
        committed = bool(clients.uses(module, consumer, "commit"))
        for call in module.named(*_EXECUTES):
            direct = clients.in_loops(call.spot, loops)
            if not (direct and committed) and (direct or not _called(module, call, loops, _LEVELS)):
                continue
            statement = _statement(module, call)
            if plain_insert(statement) is None or any(_LOOKS.match(_statement(module, other)) for other in _beside(module, call, loops)):
                continue
            message = "a record that is read again after a crash, before its offset was committed, is inserted once more, or fails where a key forbids that; update what is there (ON CONFLICT, ON DUPLICATE KEY, MERGE)"
            yield context.finding(message, module.call_place(call), covers=[module.covers(call)])
            return


def _statement(module: Any, call: Call) -> str:
    """The SQL that a call is given, with a name for each part that is not known."""
    node = call.argument(1 if call.name in ("execute_values", "execute_batch") else 0, "sql")
    text = text_of(module, node, call.spot) if node is not None else None
    return text.text.replace(MASK, "x") if text is not None else ""


def _beside(module: Any, call: Call, loops: set[int]) -> list[Call]:
    """The other statements of the same function, or of the same loop."""
    return [
        other
        for other in module.named(*_EXECUTES)
        if other is not call and other.function is call.function and (call.function is not None or clients.in_loops(other.spot, loops))
    ]


def _called(module: Any, call: Call, loops: set[int], levels: int) -> bool:
    """Whether a call stands in a function that the loop calls, itself or through others."""
    if call.function is None or not levels:
        return False
    return any(clients.in_loops(site.spot, loops) or _called(module, site, loops, levels - 1) for site in module.call_sites(call.function))
