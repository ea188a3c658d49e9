"""Which statements and requests of a program put something in twice when they run again."""

from __future__ import annotations

import re

from shoal.lazy import pattern
from shoal.text import MASK

# How a finding goes on, of a row and of a document.
INSERTED = (
    ", or fails for ever where a key forbids that: the sink is at-least-once and its statement a plain INSERT; update what is there "
    "(ON CONFLICT, ON DUPLICATE KEY, MERGE)"
)
MADE_UP = ": the sink is at-least-once, and a document that is given no id gets a new one; take one from the record"
_INSERT = pattern(rf"(?is)\s*insert\s+into\s+([\w.$`\"\[\]{MASK}]+)")
# What makes a statement harmless when it comes twice.
_ONCE = pattern(r"(?i)\bon\s+(?:conflict|duplicate)\b|\bwhere\s+not\s+exists\b|\bmerge\b|\bignore\b")
# Engines whose tables put rows of one key together by themselves.
_REPLACING = pattern(r"(?i)clickhouse|doris|starrocks|phoenix")


def plain_insert(statement: str) -> re.Match[str] | None:
    """A statement (group 1: the table) that adds a row whatever stands in the table already. What is put in at its end may say what else to do."""
    found = _INSERT.match(statement)
    return None if found is None or _ONCE.search(statement) or statement.rstrip("; \t\r\n").endswith(MASK) else found


def table_of(statement: re.Match[str]) -> str:
    """The table of a plain insert, in words where the program puts its name in."""
    return "the table" if MASK in statement.group(1) else str(statement.group(1))


def replaces(program: str) -> bool:
    """Whether a program speaks of an engine in which a plain insert updates."""
    return _REPLACING.search(program) is not None
