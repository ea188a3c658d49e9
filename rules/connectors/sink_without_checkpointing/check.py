"""Sinks that publish on checkpoints, with checkpointing off."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block, Setting
from shoal.job import Job
from shoal.jobs import questions
from shoal.model import Finding, Place
from shoal.readers.sql_tables import same_table
from shoal.templates import tables

_FILES = {
    "filesystem": "files stay in progress and are never published",
    "iceberg": "no snapshot is ever committed",
    "hudi": "no commit is ever made",
}
_FILES |= {"delta": "no version is ever committed", "paimon": "no snapshot is ever committed"}


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Without a configuration of the cluster in sight, checkpointing may be on there: low confidence."""
    if tables.checkpoints(job) or tables.is_batch(job):
        return
    conf = tables.conf(job)
    label = "no execution.checkpointing.interval here"
    for at, message, severity in _sinks(job):
        own = at.place.path if isinstance(at, Block) else at.path
        related: list[tuple[Block | Setting | Place, str]] = [(conf, label)] if conf else []
        seen = {own, *((conf.place.path,) if conf else ())}
        related += [(block, "the environment, which enables none") for block in _environments(job, own)]
        if isinstance(at, Block) and (named := job.get(at, "connector")) is not None:
            related.append((named, "publishes at checkpoints"))
        related += [(place, label) for place, _ in job.looked_in("flink", own)[:6] if place.path not in seen]
        related += [(place, label) for place, label in questions.submitted(job) if place.path == own]
        yield context.finding(f"{message}: checkpointing is not enabled", at, related, severity=severity, confidence="" if conf else "low")


def _environments(job: Job, path: str) -> list[Block]:
    """The one environment that a program makes in the file of its sink."""
    made = [block for block in job.select("flink", ("job",), ("java", "python")) if block.place.path == path]
    return made if len(made) == 1 else []


def _sinks(job: Job) -> Iterator[tuple[Block | Setting | Place, str, str]]:
    streams = tables.sources(job)
    if not streams and job.usages("bounded-input"):
        return  # sinks commit at the end of their input
    for _, setting, value in tables.sinks(job):
        if value == "exactly-once":
            yield setting, "what the sink writes never becomes visible to readers of committed records", "error"
        elif value == "at-least-once":
            yield setting, "the sink never waits for its producer, so at-least-once is an empty promise", "warning"
    if any(not tables.ends(job, block) for block in streams):
        for usage in job.usages("file-sink"):
            yield usage.place, _FILES["filesystem"], "error"
    sources = [table for table in tables.tables(job) if table.trait("source") == "true"]
    if not tables.reads_stream(job) and all(table.trait("bounded") == "true" for table in sources):
        return
    for table in tables.tables(job, *_FILES):
        if table.trait("sink") == "true" and not table.open and not _ends(job, table, sources):
            yield table, _FILES[table.trait("connector")], "error"
    catalogs = {block.name: block.trait("type") for block in job.select("flink", ("catalog",))}
    endless = [source for source in sources if source.trait("connector") and source.trait("bounded") != "true"]
    for table in tables.tables(job):
        kind = catalogs.get(table.trait("catalog"), "")  # whose tables need no connector, and end where they are read
        if kind in _FILES and not table.trait("connector") and table.trait("sink") == "true" and _is_filled(job, table, endless):
            yield table, _FILES[kind], "error"


def _is_filled(job: Job, table: Block, sources: list[Block]) -> bool:
    """Whether some INSERT into a table reads one of these."""
    inserts = [one for one in job.statements("insert") if same_table(one.target, table.name)]
    return any(same_table(name, source.name) for insert in inserts for name in insert.sources for source in sources)


def _ends(job: Job, table: Block, sources: list[Block]) -> bool:
    """Whether all that is written to a table comes from VALUES or from tables that end: the sink commits at the end of its input."""
    inserts = [one for one in job.statements("insert") if same_table(one.target, table.name)]
    ending = [source for source in sources if source.trait("bounded") == "true"]
    return bool(inserts) and all(any(same_table(name, source.name) for source in ending) for insert in inserts for name in insert.sources)
