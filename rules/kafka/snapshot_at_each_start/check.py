"""`snapshot.mode=always`, in a connector of Debezium and, behind `debezium.`, in Flink's CDC sources."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates.common import text

_ENGINES = ("kafka-connect", "flink", "flink-cdc")


def check(job: Job, context: Context) -> Iterator[Finding]:
    for setting in job.settings:
        key = setting.key.removeprefix("debezium.").removeprefix("source.")
        if key == "snapshot.mode" and setting.engine in _ENGINES and text(setting) == "always":
            message = (
                "all tables are read again at each start, which a rebalance of the workers and a failed task are as well: every row comes once more, "
                "and changes wait behind them"
            )
            yield context.finding(message, setting)
