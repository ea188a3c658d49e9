"""`slot.drop.on.stop=true`, in Debezium's connector and, behind `debezium.`, in Flink's CDC source for PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates.common import text

# With the name that the option had before Debezium 0.10.
_KEYS = ("slot.drop.on.stop", "slot.drop_on_stop")


def check(job: Job, context: Context) -> Iterator[Finding]:
    for setting in job.settings:
        key = setting.key.removeprefix("debezium.").removeprefix("source.")
        if key in _KEYS and setting.engine in ("kafka-connect", "flink", "flink-cdc") and text(setting) == "true":
            mode = job.written(job.blocks[setting.block], setting.key.removesuffix(key) + "snapshot.mode")
            if text(mode) in ("always", "initial_only"):
                continue  # which read all tables anew each time, or nothing behind them
            message = "each time it is stopped, the server forgets where it was: what is written until the next start is in no log that it could read, and is not captured"
            yield context.finding(message, setting)
