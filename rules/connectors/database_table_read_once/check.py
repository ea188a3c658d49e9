"""Tables of the JDBC and MongoDB connectors in a plain join with a stream: they are scanned once, from the start of the job."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import tables


def check(job: Job, context: Context) -> Iterator[Finding]:
    if tables.is_batch(job):
        return
    scanned = {tables.short(table.name): table for table in tables.tables(job, "jdbc", "mongodb") if not table.trait("like")}
    streams = {tables.short(table.name) for table in tables.tables(job) if tables.never_ends(job, table)}
    views = {tables.short(one.target): one for one in job.statements("create-view")}
    seen: set[str] = set()
    for statement in job.statements("insert", "select"):
        features = set(statement.features)
        reads = tables.behind(statement, views)
        features |= {feature for name in reads if name in views for feature in views[name].features}
        if "regular-join" not in features or "temporal-join" in features or not reads & streams:
            continue
        for name in sorted(reads & scanned.keys() - seen):
            seen.add(name)
            message = f"{scanned[name].name} is read once, when the job starts: rows that come or change later are never joined; FOR SYSTEM_TIME AS OF asks the database for each record"
            join = tables.keeping(job, statement, "regular-join")
            joined = [(join, "joined here")] if join else []
            yield context.finding(message, statement.place, [*joined, (tables.head(job, scanned[name]), "read once")])
