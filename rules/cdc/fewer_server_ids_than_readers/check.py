"""`server-id` against the readers that each take one of the range: reader n asks for id start + n, and is refused two beyond the end (ServerIdRange of 3.2.0 was run)."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block, Setting
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.templates import cdc, tables
from shoal.templates.common import text, verbatim

_IDS = pattern(r"(\d{1,10})(?:\s*-\s*(\d{1,10}))?")


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block, parallelism in _readers(job):
        ids = tables.option(job, block, "server-id") if block.engine == "flink" else job.written(block, "server-id")
        found = _IDS.fullmatch(verbatim(ids))
        if found is None or ids is None or parallelism is None or not verbatim(parallelism).isdecimal():
            continue
        first, last = int(found.group(1)), int(found.group(2) or found.group(1))
        readers, there = int(verbatim(parallelism)), last - first + 1
        if readers <= there or there < 1:
            continue
        said = f"server-id has {there} for {readers} readers" if there > 1 else f"server-id is a single one for {readers} readers"
        if readers == there + 1:
            message = f"the last reader takes the id {last + 1}, which nobody gave it and another client of the server may have: {said}"
        else:
            message = f"the readers beyond the range fail, and the job with them: {said}"
        fix = f"{first}-{first + readers - 1}"
        yield context.finding(
            f"{message}; {fix} would do", ids, [(parallelism, "the readers")], severity="warning" if readers == there + 1 else ""
        )


def _readers(job: Job) -> Iterator[tuple[Block, Setting | None]]:
    """Sources of MySQL, and what says how many readers they have."""
    for source in cdc.sources(job, "mysql"):
        yield source, job.written(cdc.whole(job, source), "parallelism")
    said = job.anywhere("flink", "parallelism.default")
    if len(said) == 1 and said[0].sure == "sure":
        for table in tables.tables(job, "mysql-cdc"):
            if table.trait("source") == "true" and text(tables.option(job, table, "scan.incremental.snapshot.enabled")) != "false":
                yield table, said[0]
