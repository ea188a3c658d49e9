"""Replication slots of PostgreSQL's sources: one is read by one of them, and its name is the server's."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import cdc
from shoal.templates.common import verbatim


def check(job: Job, context: Context) -> Iterator[Finding]:
    seen: dict[tuple[str, ...], Block] = {}
    for block, server in cdc.joining(job, "postgres", "5432"):
        slot = job.written(block, "slot.name")
        if slot is None or not verbatim(slot):
            continue
        other = seen.setdefault((*server, verbatim(slot)), block)
        if other is block:
            continue
        same = other.place.path == block.place.path
        its = job.written(other, "slot.name")
        host = verbatim(job.written(block, "hostname"))
        message = (
            f"a slot has one reader: `{verbatim(slot)}` of {host} is also read by {cdc.called(job, other)}, and who comes second fails"
        )
        yield context.finding(message, slot, [(its, "the other one")] if its is not None else [], confidence="" if same else "low")
