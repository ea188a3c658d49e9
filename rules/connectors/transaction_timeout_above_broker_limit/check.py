"""`transaction.timeout.ms` of an exactly-once sink, 1 h by default, against the brokers' `transaction.max.timeout.ms`, 15 min by default."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import kafka, tables

_FLINK_DEFAULT = 3_600_000


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block, setting, value in tables.sinks(job):
        if value != "exactly-once" or (block.role == "table" and block.trait("connector") not in ("kafka", "upsert-kafka")):
            continue
        client = job.blocks.get(f"{block.id}/kafka")
        timeout = kafka.amount(job, client or block, "transaction.timeout.ms", _FLINK_DEFAULT)
        most = int(context.options["broker-max"])
        if timeout.value is None or timeout.value <= most or (timeout.setting is None and (block.open or client is None)):
            continue
        message = (
            f"the sink fails at its first transaction with InvalidTxnTimeoutException: it asks for {kafka.say(timeout.value)}"
            f"{', the default of the sink' if timeout.setting is None else ''}, brokers allow {kafka.say(most)} unless transaction.max.timeout.ms is raised"
        )
        if timeout.setting:
            fixes = [context.replace(timeout.setting, str(most), f"ask for {kafka.say(most)}", "unsafe")]
            yield context.finding(message, timeout.setting, [(setting, "asks for transactions")], fixes=fixes)
        else:
            yield context.finding(message, setting)
