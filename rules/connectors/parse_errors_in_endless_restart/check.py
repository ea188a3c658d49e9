"""A format that fails on a bad record, under a restart strategy that never gives up."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Setting
from shoal.job import Job
from shoal.jobs import questions
from shoal.model import Finding
from shoal.templates import tables
from shoal.values.kafka import parse_long

_FORMATS = frozenset({"json", "csv", "debezium-json", "canal-json", "maxwell-json", "ogg-json", "protobuf"})
_STREAMS = ("kafka", "upsert-kafka", "kinesis", "pulsar", "dynamic-kafka")
_FIXED, _BACKOFF = ("fixed-delay", "fixeddelay"), ("exponential-delay", "exponentialdelay")


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Where no strategy is written down the default is endless too, once checkpoints are on; but then nobody has decided anything yet."""
    endless = _endless(job, int(context.options["endless-attempts"]))
    if endless is None and job.anywhere("flink", "restart-strategy.type"):
        return
    interval = questions.interval(job) if endless is None else None
    for table in tables.tables(job, *_STREAMS):
        form = tables.option(job, table, "value.format", "format")
        name = tables.text(form)
        if form is None or name not in _FORMATS or table.open or table.trait("source") != "true" or tables.others_protobuf(job, table):
            continue
        if tables.option(job, table, f"{name}.ignore-parse-errors", f"value.{name}.ignore-parse-errors"):
            continue
        message = f"one record that is not valid {name} fails the job, and it restarts at that same record for ever: the format stops at parse errors, the restart strategy never gives up"
        if endless is not None:
            yield context.finding(message, form, [(endless, "never gives up")])
        elif interval is not None:
            yield context.finding(
                message, form, [(interval, "with checkpoints on, nor does the default")], severity="info", confidence="low"
            )
        elif tables.never_ends(job, table) and not questions.managed(job) and not questions.batch(job):
            message = f"one record that is not valid {name} ends the job: the format stops at parse errors, and no checkpoint is seen from which it would restart"
            yield context.finding(message, form, severity="info", confidence="low")
            return  # once: checkpoints come first


def _endless(job: Job, many: int) -> Setting | None:
    """The setting by which restarts surely have no end."""
    kinds = job.anywhere("flink", "restart-strategy.type")
    kind = tables.text(kinds[-1]) if kinds else ""
    if kind in _FIXED:
        for attempts in job.anywhere("flink", "restart-strategy.fixed-delay.attempts"):
            value = parse_long(attempts.text) if attempts.known else None
            if isinstance(value, int) and value >= many:
                return attempts
    if kind in _BACKOFF and not job.anywhere("flink", "restart-strategy.exponential-delay.attempts-before-reset-backoff"):
        return kinds[-1]
    return None
