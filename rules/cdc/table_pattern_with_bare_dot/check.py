"""Patterns of tables: a dot separates database, schema and table, and `\\.` is the dot of a regular expression (Selectors of 3.2.0 and 3.5.0 were run)."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block, Setting
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import cdc
from shoal.templates.cdc import Pattern

_MOST = 3
_DANGLING = ("*", "+", "?")


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select("flink-cdc", ("source", "route", "transform")):
        kind = block.trait("connector") if block.role == "source" else _kind(job, block)
        for key in ("tables", "tables.exclude") if block.role == "source" else ("source-table",):
            setting = job.written(block, key)
            if setting is None or not setting.known or kind not in cdc.PARTS:
                continue
            for pattern in cdc.patterns(setting):
                if found := _wrong(pattern, kind, key):
                    message, severity = found
                    yield context.finding(message, setting, severity=severity)
                    break
            else:
                yield from _two_databases(context, setting, kind, key)


def _kind(job: Job, block: Block) -> str:
    source = cdc.side(job, cdc.whole(job, block), "source")
    return source.trait("connector") if source is not None else ""


def _wrong(pattern: Pattern, kind: str, key: str) -> tuple[str, str] | None:
    """What is wrong with one entry, and how bad it is."""
    parts = len(pattern.parts)
    if any(part.startswith(_DANGLING) for part in pattern.parts):
        return (
            f"the pipeline is refused: in `{pattern.text}` the dot separates names, and what follows it is no regular expression; a dot that means any character is written `\\.`",
            "",
        )
    if parts > _MOST:
        return f"the pipeline is refused: `{pattern.text}` has {parts} parts, and a table has {_MOST} at most", ""
    wanted = cdc.PARTS[kind]
    if key == "tables" and kind == "postgres" and parts != wanted:
        return (
            f"the pipeline is refused: tables of a postgres source are named database.schema.table, and `{pattern.text}` has {_counted(parts)}",
            "",
        )
    if parts > 1:
        return None
    why = "its dot is escaped, so it is none between names" if "\\." in pattern.text else "it names no database"
    if key == "tables":
        return f"the pipeline is refused: `{pattern.text}` matches no table, {why}", ""
    does = "nothing is left out" if key == "tables.exclude" else "the rule has no effect"
    return f"{does}: `{pattern.text}` matches no table, {why}", "warning"


def _counted(parts: int) -> str:
    return "one part" if parts == 1 else f"{parts} parts"


def _two_databases(context: Context, setting: Setting, kind: str, key: str) -> Iterator[Finding]:
    named = list(dict.fromkeys(pattern.parts[0] for pattern in cdc.patterns(setting))) if kind == "postgres" and key == "tables" else []
    if len(named) > 1:
        message = f"the pipeline is refused: a postgres source reads one database, and tables names {' and '.join(named[:3])}"
        yield context.finding(message, setting)
