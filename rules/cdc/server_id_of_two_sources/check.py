"""Server ids of MySQL sources: each reader is a replica, and the server drops the one that has the id of a newcomer."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block, Setting
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.records import NamedTuple
from shoal.templates import cdc
from shoal.templates.common import verbatim

_IDS = pattern(r"(\d{1,10})(?:\s*-\s*(\d{1,10}))?")


class _Source(NamedTuple):
    """A source and its ids."""

    block: Block
    ids: Setting
    first: int
    last: int


def check(job: Job, context: Context) -> Iterator[Finding]:
    seen: dict[tuple[str, str, str], list[_Source]] = {}
    for block, server in cdc.joining(job, "mysql", "3306"):
        ids = job.written(block, "server-id")
        found = _IDS.fullmatch(verbatim(ids))
        if found is None or ids is None:
            continue
        source = _Source(block, ids, int(found.group(1)), int(found.group(2) or found.group(1)))
        others = seen.setdefault(server, [])
        other = next((one for one in others if one.first <= source.last and source.first <= one.last), None)
        others.append(source)
        if other is None:
            continue
        same = other.block.place.path == block.place.path
        message = f"the two throw each other out of {server[1]}: {cdc.called(job, block)} and {cdc.called(job, other.block)} join it with the server id {max(source.first, other.first)}"
        yield context.finding(message, ids, [(other.ids, "the other one")], confidence="" if same else "low")
