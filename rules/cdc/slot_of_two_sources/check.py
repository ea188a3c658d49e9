"""Replication slots of PostgreSQL's sources: one is read by one of them, and its name is the server's."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block
from shoal.job import Job
from shoal.jobs.boundaries import folder_of
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.templates import cdc, tables
from shoal.templates.common import text, verbatim

_HOST = pattern(r"[A-Za-z0-9](?:[\w.:-]*[A-Za-z0-9])?")


def check(job: Job, context: Context) -> Iterator[Finding]:
    seen: dict[tuple[str, ...], Block] = {}
    blocks = [*cdc.sources(job, "postgres"), *(table for table in tables.tables(job, "postgres-cdc") if table.trait("source") == "true")]
    for block in blocks:
        slot, host, port = job.written(block, "slot.name"), job.written(block, "hostname"), job.written(block, "port")
        if slot is None or not verbatim(slot) or not _HOST.fullmatch(verbatim(host)) or (port is not None and not port.known):
            continue
        if text(job.written(block, "scan.startup.mode")) == "snapshot":
            continue  # the slot is gone once it is read
        # what stands in another folder may be another environment's
        server = (folder_of(block.place.path), verbatim(host).lower(), verbatim(port) or "5432", verbatim(slot))
        other = seen.setdefault(server, block)
        if other is block:
            continue
        same = other.place.path == block.place.path
        its = job.written(other, "slot.name")
        message = f"a slot has one reader: `{verbatim(slot)}` of {verbatim(host)} is also read by {cdc.called(job, other)}, and who comes second fails"
        yield context.finding(message, slot, [(its, "the other one")] if its is not None else [], confidence="" if same else "low")
