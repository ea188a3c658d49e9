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
_INSERT = pattern(rf"(?is)\s*insert\s+into\s+([\w.$`\"'\[\]{MASK}]+)")
_DEFINITION = pattern(r"(?is)\s*((?:create|alter|drop|truncate)\s+(?:table|index|schema|database|materialized|view|sequence|type)\b)")
# What makes a statement harmless when it comes twice.
_ONCE = pattern(r"(?i)\bon\s+(?:conflict|duplicate)\b|\bwhere\s+not\s+exists\b|\bmerge\b|\bignore\b")
# What stands behind these is done to rows that are there already, without a condition on what they hold.
_UPDATES = pattern(
    r"(?is)\bmatched\s+then\s+update\s+set\b(.*?)(?=\bwhen\b|$)|\b(?:do\s+update\s+set|key\s+update)\b((?:(?!\bwhere\b).)*)$"
    r"|^\s*update\s+\S+(?:\s+(?:as\s+)?\w+)?\s+set\b(.*?)(?=\bwhere\b|$)"
)
_TERM = r"(?:(?:coalesce|ifnull|nvl|values)\s*\(\s*)?([\w.`\"]+|%s|%\(\w+\)s|\?|[:$]\w+)(?:\s*,\s*[\d.]+)?\s*\)?"
_SUM = pattern(rf"(?i)\s*{_TERM}\s*\+\s*{_TERM}\s*")
_SETS = pattern(rf"(?i)([\w.`\"]+)\s*=\s*((?:{_TERM})\s*\+\s*(?:{_TERM}))(?=\s*(?:,|;|$|where\b|returning\b|\n))")
# Engines whose tables put rows of one key together by themselves.
_REPLACING = pattern(r"(?i)clickhouse|doris|starrocks|phoenix")


def plain_insert(statement: str) -> re.Match[str] | None:
    """A statement (group 1: the table) that adds a row whatever stands in the table already. What is put in at its end may say what else to do."""
    found = _INSERT.match(statement)
    return None if found is None or _ONCE.search(statement) or statement.rstrip("; \t\r\n").endswith(MASK) else found


def definition(statement: str) -> str:
    """What a statement does to tables themselves, as `CREATE TABLE`; empty for one that is about rows."""
    found = _DEFINITION.match(statement)
    return " ".join(found.group(1).upper().split()) if found is not None else ""


def adds(statement: str) -> tuple[int, int] | None:
    """From where to where a MERGE, an upsert or an UPDATE adds to what a column holds."""
    statement = statement.replace(MASK, "x")
    for found in _UPDATES.finditer(statement):
        for match in _SETS.finditer(statement, *found.span(found.lastindex or 0)):
            if adds_to(match.group(1), match.group(2)):
                return match.span()
    return None


def adds_to(column: str, expression: str) -> bool:
    """Whether what a column is set to is the column itself and something else, which is no number: that would count versions."""
    match = _SUM.fullmatch(expression)
    if match is None:
        return False
    owner, _, name = _bare(column)
    for own, other in (match.groups(), match.groups()[::-1]):
        of, _, last = _bare(own)
        if last != name or (owner and of != owner) or other.replace(".", "").isdigit():
            continue
        if other == own:
            return "values" in expression.lower()  # `n = n + VALUES(n)`
        if _bare(other)[0] != of or "." not in other:
            return True
    return False


def _bare(name: str) -> tuple[str, str, str]:
    """A column's name without quotes: the table's, and its own."""
    return re.sub(r"[`\"]", "", name).lower().rpartition(".")


def table_of(statement: re.Match[str]) -> str:
    """The table of a plain insert, in words where the program puts its name in."""
    return "the table" if MASK in statement.group(1) else str(statement.group(1))


def replaces(program: str) -> bool:
    """Whether a program speaks of an engine in which a plain insert updates."""
    return _REPLACING.search(program) is not None
