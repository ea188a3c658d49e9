"""Server ids of MySQL sources: each reader is a replica, and the server drops the one that has the id of a newcomer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from shoal.context import Context
from shoal.facts import Block, Setting
from shoal.job import Job
from shoal.jobs.boundaries import folder_of
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.templates import cdc, tables
from shoal.templates.common import text, verbatim

_IDS = pattern(r"(\d{1,10})(?:\s*-\s*(\d{1,10}))?")
_HOST = pattern(r"[A-Za-z0-9](?:[\w.:-]*[A-Za-z0-9])?")


class _Source(NamedTuple):
    """A source, its ids, and the server that it joins."""

    block: Block
    ids: Setting
    first: int
    last: int
    server: tuple[str, str]


def check(job: Job, context: Context) -> Iterator[Finding]:
    seen: dict[tuple[str, ...], list[_Source]] = {}
    for source in _sources(job):
        # what stands in another folder may be another environment's
        others = seen.setdefault((folder_of(source.block.place.path), *source.server), [])
        other = next((one for one in others if one.first <= source.last and source.first <= one.last), None)
        others.append(source)
        if other is None:
            continue
        same = other.block.place.path == source.block.place.path
        message = f"the two throw each other out of {source.server[0]}: {cdc.called(job, source.block)} and {cdc.called(job, other.block)} join it with the server id {max(source.first, other.first)}"
        yield context.finding(message, source.ids, [(other.ids, "the other one")], confidence="" if same else "low")


def _sources(job: Job) -> Iterator[_Source]:
    blocks = [*cdc.sources(job, "mysql"), *(table for table in tables.tables(job, "mysql-cdc") if table.trait("source") == "true")]
    for block in blocks:
        ids, host, port = job.written(block, "server-id"), job.written(block, "hostname"), job.written(block, "port")
        found = _IDS.fullmatch(verbatim(ids))
        if found is None or ids is None or host is None or not _HOST.fullmatch(verbatim(host)):
            continue
        if text(job.written(block, "scan.startup.mode")) == "snapshot" or (port is not None and not port.known):
            continue  # a snapshot joins nothing once it is read
        first, last = int(found.group(1)), int(found.group(2) or found.group(1))
        yield _Source(block, ids, first, last, (verbatim(host).lower(), verbatim(port) or "3306"))
