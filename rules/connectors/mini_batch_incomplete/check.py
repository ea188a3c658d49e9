"""`table.exec.mini-batch.enabled` needs `allow-latency` and `size` above zero; their defaults are not."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import tables
from shoal.templates.common import lookup
from shoal.values import Duration
from shoal.values.flink import parse_duration
from shoal.values.kafka import parse_long

_PREFIX = "table.exec.mini-batch."


def check(job: Job, context: Context) -> Iterator[Finding]:
    """In a script or a conf of its own; what a session adds to the cluster's conf is not judged from one of them alone.

    Flink 1.16 to 1.18 refuse any query, 1.19.2, 1.20.1, 2.0.0 and 2.2.0 one that keeps state over changes: a script none of whose
    queries groups, joins or drops duplicates may run there.
    """
    for block in job.select("flink", ("session", "cluster", "deployment", "job")):
        enabled = job.get(block, f"{_PREFIX}enabled")
        if enabled is None or tables.text(enabled) != "true":
            continue
        latency, size = lookup(job, block, f"{_PREFIX}allow-latency"), lookup(job, block, f"{_PREFIX}size")
        missing = []
        length = parse_duration(latency.text) if latency and latency.known else None
        if (latency is None and not block.open) or (isinstance(length, Duration) and length.nanos <= 0):
            missing.append(f"{_PREFIX}allow-latency")
        rows = parse_long(size.text) if size and size.known else None
        if (size is None and not block.open) or (isinstance(rows, int) and rows <= 0):
            missing.append(f"{_PREFIX}size")
        if missing:
            related = [(setting, "not above zero") for setting in (latency, size) if setting and setting.key in missing]
            sure = block.role == "session" and block.form == "sql"
            message = f"queries with an aggregation are refused: mini-batches are on, and {' and '.join(missing)} must be above zero"
            queries = [one for one in job.statements() if one.place.path == enabled.place().path and one.sources]
            confidence = "low" if sure and queries and not any(one.features for one in queries) else ""
            yield context.finding(message, enabled, related, confidence=confidence or ("medium" if sure and len(missing) < 2 else ""))
