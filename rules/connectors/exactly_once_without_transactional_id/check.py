"""`sink.delivery-guarantee = exactly-once` without `sink.transactional-id-prefix`."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import tables


def check(job: Job, context: Context) -> Iterator[Finding]:
    """`sink.semantic`, the old name of the option, brought a default prefix with it until connector 3.x."""
    for block, setting, value in tables.sinks(job):
        if value != "exactly-once" or block.open or setting.key == "sink.semantic" or tables.option(job, block, *tables.PREFIX):
            continue
        if block.role == "table" and block.trait("connector") not in ("kafka", "upsert-kafka"):
            continue
        missing = tables.PREFIX[0] if block.role == "table" else "a transactional id prefix"
        yield context.finding(f"the job is refused: exactly-once needs {missing}, by which the sink finds its transactions again", setting)
