"""`sink.transactional-id-prefix` beside a guarantee other than exactly-once."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import tables

# What a sink has that is told nothing.
_DEFAULT = {"table": "at-least-once", "sink": "none"}


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select("flink", ("table", "sink")):
        prefix = tables.option(job, block, *tables.PREFIX)
        if prefix is None or block.open or block.trait("hint") == "true" or block.trait("connector") not in ("kafka", "upsert-kafka"):
            continue
        found, value = tables.guarantee(job, block)
        value = value if found is not None else _DEFAULT[block.role]
        if value and value != "exactly-once":
            related = [(found, "the guarantee")] if found is not None else []
            told = f"the guarantee is {value}" if found is not None else f"no guarantee is set, and {value} is the default"
            effect = "written twice" if value == "at-least-once" else "lost or written twice"
            message = f"the prefix has no effect: the sink writes without transactions, {told}; after a failure records are {effect}"
            yield context.finding(message, prefix, related)
