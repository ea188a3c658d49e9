"""MySQL sources without `server-id`: the connector then draws a number between 5400 and 6400."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import cdc, tables


def check(job: Job, context: Context) -> Iterator[Finding]:
    left: dict[str, list[Block]] = {}
    for block, _ in cdc.joining(job, "mysql", "3306"):
        ids = tables.option(job, block, "server-id") if block.role == "table" else job.written(block, "server-id")
        if ids is None and not block.open and not block.trait("like"):
            left.setdefault(block.place.path, []).append(block)
    for blocks in left.values():
        first = blocks[0]
        others = [(block, "and this one") for block in blocks[1:4]]
        message = (
            f"{cdc.called(job, first)} joins the server under a number between 5400 and 6400 that is drawn anew at each start: where another reader has it, "
            "the server drops one of the two, and its job restarts (server-id; a range where the source has several readers)"
        )
        yield context.finding(message, tables.head(job, first) if first.role == "table" else first, others)
