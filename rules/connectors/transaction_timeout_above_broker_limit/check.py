"""`transaction.timeout.ms` of an exactly-once sink, 1 h by default, against the brokers' `transaction.max.timeout.ms`, 15 min by default."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Setting
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import kafka, tables
from shoal.values.kafka import parse_long

_FLINK_DEFAULT = 3_600_000


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block, setting, value in tables.sinks(job):
        if value != "exactly-once" or (block.role == "table" and block.trait("connector") not in ("kafka", "upsert-kafka")):
            continue
        client = job.blocks.get(f"{block.id}/kafka")
        timeout = kafka.amount(job, client or block, "transaction.timeout.ms", _FLINK_DEFAULT)
        broker = _broker(job)
        known = parse_long(broker.text) if broker is not None and broker.known else None
        if broker is not None and not isinstance(known, int):
            continue
        most = known if isinstance(known, int) else int(context.options["broker-max"])
        if timeout.value is None or timeout.value <= most or (timeout.setting is None and (block.open or client is None)):
            continue
        message = (
            f"the sink fails at its first transaction with InvalidTxnTimeoutException: it asks for {kafka.say(timeout.value)}"
            f"{', the default of the sink' if timeout.setting is None else ''}, {f'the brokers here allow {kafka.say(most)}' if broker else f'brokers allow {kafka.say(most)} unless transaction.max.timeout.ms is raised'}"
        )
        related = [(broker, "the brokers' limit")] if broker else []
        if timeout.setting:
            fixes = [context.replace(timeout.setting, str(most), f"ask for {kafka.say(most)}", "unsafe")]
            yield context.finding(message, timeout.setting, [(setting, "asks for transactions"), *related], fixes=fixes)
        else:
            yield context.finding(message, setting, related)


def _broker(job: Job) -> Setting | None:
    """The limit that the job's own brokers set; of several, any: one refusal is enough."""
    return next((found for block in job.select("kafka", ("broker",)) if (found := job.get(block, "transaction.max.timeout.ms"))), None)
