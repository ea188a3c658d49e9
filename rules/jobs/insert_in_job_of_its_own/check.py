"""INSERTs that one script or function submits one by one, and that read the same stream."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Statement
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import tables

# Catalogs of which a streaming job reads every table on and on, as records are added to it.
_FOLLOWED = ("paimon", "fluss")


def check(job: Job, context: Context) -> Iterator[Finding]:
    """One finding for each script or function: the statement set takes them all."""
    statements = job.statements()
    views = {tables.short(fact.target): fact for fact in statements if fact.kind == "create-view"}
    together: dict[tuple[str, str], list[Statement]] = {}
    for statement in statements:
        if statement.kind == "insert" and statement.alone:
            together.setdefault((statement.place.path, statement.alone), []).append(statement)
    if tables.is_batch(job) or all(len(inserts) < 2 for inserts in together.values()):
        return
    streams = {tables.short(block.name) for block in tables.tables(job) if tables.never_ends(job, block)}
    lakes = {block.name for block in job.select("flink", ("catalog",)) if tables.text(job.get(block, "type")) in _FOLLOWED}
    for inserts in together.values():
        read: dict[str, list[Statement]] = {}
        for insert in inserts:
            followed = {source for source in insert.sources if source.count(".") == 2 and source.partition(".")[0] in lakes}
            for name in sorted(tables.behind(insert, views) & streams | followed):
                read.setdefault(name, []).append(insert)
        name, readers = max(read.items(), key=lambda item: len(item[1]), default=("", []))
        if len(readers) > 1:
            message = f"each of {len(readers)} INSERTs is a job of its own, and reads {name} anew; in one statement set they are one job that reads it once"
            others = [(reader.place, "and one more") for reader in readers[2:]]
            yield context.finding(message, readers[1].place, [(readers[0].place, "the first one"), *others])
