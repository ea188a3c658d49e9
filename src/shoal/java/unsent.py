"""Programs in Java that end while their Kafka producer still holds records: it sends from a daemon thread, which ends with `main`."""

from __future__ import annotations

import re

from tree_sitter import Node

from shoal.java.functions import with_helpers
from shoal.java.kafka import PRODUCERS, by_producer
from shoal.java.sheet import Sheet
from shoal.lazy import pattern

# What sends the rest, keeps the program alive, or runs it in another one's process.
_LASTS = pattern(
    r"\b(?:commitTransaction|await\w*|submit|schedule\w*|halt|wait|start|run\w*Async|parallel\w*|(?<!String\.)join)\s*\("
    r"|\bStream\s*\.\s*(?:generate|iterate)\(|\bwhile\s*\(\s*!?[\w.]+(?:\(\))?\s*\)|\bfor\s*\(\s*[^;()]*;\s*;|\btry\s*\([^)]*Producer"
    r"|@\w*(?:Bean|Component|Service|Cleanup|Application)\b|\bnew\s+(?:Thread|Timer)\b|\bExecutor|\bSystem\s*\.\s*in\b|::\s*(?:close|flush)\b"
)
_SLEEP = pattern(r"\b\w*[sS]leep\w*\s*\(|\.\s*sleep\s*\(")


def collect(sheet: Sheet) -> None:
    """Only where all that the producer is used for stands in this file, and `main` comes to an end by itself."""
    source = sheet.source
    sends = [call for call in source.named("send") if by_producer(sheet, call)]
    if not sends or _LASTS.search(_code(sheet)) or any(call.parent is None or call.parent.type != "expression_statement" for call in sends):
        return
    if any(source.type_of(call.child_by_field_name("object")) in ("", *PRODUCERS) for call in source.named("flush", "close")):
        return
    if any(source.type_of(given) in PRODUCERS for pairs in source.handed.values() for _, given in pairs):
        return
    for method in source.methods:
        body = method.child_by_field_name("body")
        if source.name(method) != "main" or "static" not in source.written(method.children[0]) or body is None:
            continue
        for run in with_helpers(sheet, body, set()):
            for call in sends:
                if (
                    run.start_byte <= call.start_byte < run.end_byte
                    and _made_here(sheet, call)
                    and not _sleeps_after(sheet, call, run, body)
                ):
                    sheet.out.oddity("unsent", "send", sheet.name_span(call))
                    return


def _code(sheet: Sheet) -> str:
    """The file without its comments, where they stand in lines of their own."""
    return re.sub(r"(?m)^\s*(?://|\*|/\*).*$", "", sheet.source.text)


def _made_here(sheet: Sheet, call: Node) -> bool:
    made = sheet.source.origin(call.child_by_field_name("object"))
    if made is None or made.type != "object_creation_expression" or sheet.source.type_of(made) != "KafkaProducer":
        return False
    return made.parent is None or made.parent.type != "resource"  # which closes it


def _sleeps_after(sheet: Sheet, call: Node, run: Node, body: Node) -> bool:
    """Whether something sleeps behind it, in time for it to be sent; in what calls the method with it, anywhere."""
    text = sheet.source.text
    behind = _SLEEP.search(text, call.end_byte, run.end_byte)
    return behind is not None or (run is not body and _SLEEP.search(text, body.start_byte, body.end_byte) is not None)
