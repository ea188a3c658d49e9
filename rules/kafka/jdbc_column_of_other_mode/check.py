"""`incrementing.column.name` and `timestamp.column.name` beside a `mode` whose query has no such column."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates.common import verbatim

_CLASSES = ("io.confluent.connect.jdbc.JdbcSourceConnector", "io.aiven.connect.jdbc.JdbcSourceConnector")
_UNREAD = {
    "incrementing.column.name": {
        "timestamp": "rows that share the last timestamp are passed over as before",
        "bulk": "each query reads the whole table",
    },
    "timestamp.column.name": {
        "incrementing": "rows that are updated are not read again",
        "bulk": "each query reads the whole table",
    },
}


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select("kafka-connect", ("connector",)):
        made_of, mode = job.get(block, "connector.class"), job.get(block, "mode")
        if verbatim(made_of) not in _CLASSES or mode is None or not mode.known:
            continue
        for key, modes in _UNREAD.items():
            column, so = job.get(block, key), modes.get(mode.text.strip().lower())
            if column is not None and so and column.text.strip():
                yield context.finding(f"{key} has no effect: mode is {mode.text.strip()}, so {so}", column, [(mode, "the mode")])
