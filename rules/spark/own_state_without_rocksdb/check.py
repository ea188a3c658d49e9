"""`transformWithState` with a state store that it does not run on."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates.common import verbatim

_PROVIDER = "spark.sql.streaming.stateStore.providerClass"


def check(job: Job, context: Context) -> Iterator[Finding]:
    used = job.usages("state-on-rocksdb")
    if not used:
        return
    found = job.anywhere("spark", _PROVIDER)
    if found:
        named = verbatim(found[0])
        if len(found) == 1 and named and "rocksdb" not in named.lower():
            message = f"{used[0].detail} fails with its first batch: it needs the state store of RocksDB, and this names another"
            yield context.finding(message, found[0], [(used[0].place, "the state")], confidence="high")
        return
    sessions = job.select("spark", ("job",))
    whole = (
        bool(sessions)
        and not job.outside
        and not any(block.open for block in job.select("spark", ("job", "submit", "session", "application")))
    )
    for usage in used:
        message = f"{usage.detail} fails with its first batch: the default state store keeps state in memory, and this needs the one of RocksDB ({_PROVIDER})"
        yield context.finding(message, usage.place, job.looked_in("spark", usage.place.path)[:6], confidence="" if whole else "low")
