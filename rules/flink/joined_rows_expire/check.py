"""`table.exec.state.ttl` under regular joins with tables that are followed: state is dropped so long after its last change, whether it is needed or not."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.jobs import questions
from shoal.model import Finding
from shoal.templates import tables
from shoal.values import Bad
from shoal.values.flink import parse_duration


def check(job: Job, context: Context) -> Iterator[Finding]:
    life = next(iter(job.origins("flink", "table.exec.state.ttl")), None)
    length, most = questions.duration(life), parse_duration(str(context.options["below"]))
    if life is None or length is None or isinstance(most, Bad) or not 0 < length.nanos < most.nanos or tables.is_batch(job):
        return
    changing = {tables.short(table.name) for table in tables.tables(job) if tables.changes(job, table)}
    statements = job.statements()
    views = {tables.short(fact.target): fact for fact in statements if fact.kind == "create-view"}
    for statement in statements:
        if statement.kind != "insert":
            continue
        parts = [statement, *(views[name] for name in sorted(tables.behind(statement, views)) if name in views)]
        joins = [part for part in parts if "regular-join" in part.features and "state-ttl-hint" not in part.features]
        rows = sorted({name for part in joins for name in tables.behind(part, views)} & changing)
        if rows:
            shown = ", ".join(rows[:3]) + (f" and {len(rows) - 3} more" if len(rows) > 3 else "")
            message = f"a row of {shown} that has not changed for {length} is forgotten, and what comes after that finds no match for it: an inner join drops it, an outer one gives NULL"
            yield context.finding(message, life, [(part.place, "joined here") for part in joins[:2]])
            return
