"""`source-table` of routes and transforms against `tables`, where these are plain names."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import cdc
from shoal.templates.cdc import Pattern


def check(job: Job, context: Context) -> Iterator[Finding]:
    for pipeline in job.select("flink-cdc", ("pipeline",)):
        source = cdc.side(job, pipeline, "source")
        if source is None:
            continue
        captured = _captured(job, source)
        for block in job.children(pipeline) if captured else ():
            setting = job.written(block, "source-table") if block.role in ("route", "transform") else None
            if setting is None or not setting.known:
                continue
            entries = cdc.patterns(setting)
            if entries and all(_misses(entry, captured) for entry in entries):
                does = "the route is never taken" if block.role == "route" else "the transform is never applied"
                message = f"{does}: the source reads {_listed(captured)}, and none of them is `{setting.text.strip()}`"
                yield context.finding(message, setting, [(tables, "what is read")] if (tables := job.written(source, "tables")) else [])


def _captured(job: Job, source: Block) -> list[Pattern]:
    """The tables that a source reads, where all are named in full."""
    setting = job.written(source, "tables")
    wanted = cdc.PARTS.get(source.trait("connector"), 0)
    found = cdc.patterns(setting) if setting is not None and setting.known and setting.sure == "sure" else []
    return found if wanted and all(one.plain and len(one.parts) == wanted for one in found) else []


def _misses(entry: Pattern, captured: list[Pattern]) -> bool:
    """Whether an entry surely fits none of the tables."""
    return len(entry.parts) > 1 and all(entry.matches(one.parts) is False for one in captured)


def _listed(captured: list[Pattern]) -> str:
    more = f" and {len(captured) - 3} more" if len(captured) > 3 else ""
    return ", ".join(one.text for one in captured[:3]) + more
