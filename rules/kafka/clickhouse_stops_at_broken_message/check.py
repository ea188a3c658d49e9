"""`ENGINE = Kafka` with neither kafka_handle_error_mode nor kafka_skip_broken_messages."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding


def check(job: Job, context: Context) -> Iterator[Finding]:
    for oddity in job.oddities:
        if oddity.kind == "clickhouse-stops-at-broken-message":
            message = f"one message that does not parse stops {oddity.subject}: ClickHouse raises, commits nothing and reads it again, for ever (kafka_handle_error_mode = 'stream' puts it aside, kafka_skip_broken_messages leaves it out)"
            yield context.finding(message, oddity)
