"""`sink.transactional-id-prefix`, `transactional.id` itself or a timeout of transactions, beside a guarantee other than exactly-once.

Read in the sources of flink-connector-kafka 3.4.0: the writer of the other guarantees gives its properties to the client as they are, and begins no transaction.
"""

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
        prefix, own = tables.option(job, block, *tables.PREFIX), tables.option(job, block, "properties.transactional.id")
        timeout = tables.option(job, block, "properties.transaction.timeout.ms")
        if (
            (prefix or own or timeout) is None
            or block.open
            or block.trait("hint") == "true"
            or block.trait("connector") not in ("kafka", "upsert-kafka")
        ):
            continue
        found, value = tables.guarantee(job, block)
        value = value if found is not None else _DEFAULT[block.role]
        if value and value != "exactly-once":
            related = [(found, "the guarantee")] if found is not None else []
            told = f"the guarantee is {value}" if found is not None else f"no guarantee is set, and {value} is the default"
            if own is not None:
                message = f"the sink fails at its first record: a client with a transactional.id sends nothing outside a transaction, and the sink begins none, {told}"
                yield context.finding(message, own, related)
            if prefix is None and own is None and timeout is not None and (found is not None or block.trait("sink") == "true"):
                yield context.finding(f"the timeout has no effect: the sink writes without transactions, {told}", timeout, related)
            if prefix is None:
                continue
            effect = "written twice" if value == "at-least-once" else "lost or written twice"
            message = f"the prefix has no effect: the sink writes without transactions, {told}; after a failure records are {effect}"
            yield context.finding(message, prefix, related)
