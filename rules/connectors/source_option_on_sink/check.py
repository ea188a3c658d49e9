"""`scan.…`, and what is a consumer's, on tables that a script only writes to."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import tables
from shoal.text import MASK

# What of the client's options only a consumer has: a producer says in its log that it does not know it.
_OF_CONSUMER = frozenset(
    f"properties.{name}"
    for name in ("group.id", "auto.offset.reset", "enable.auto.commit", "auto.commit.interval.ms", "isolation.level", "max.poll.records")
)
# … and of the formats' only what decodes.
_DECODES = frozenset(
    f"{side}{name}"
    for side in ("", "key.", "value.")
    for name in ("json.ignore-parse-errors", "json.fail-on-missing-field", "csv.ignore-parse-errors", "csv.allow-comments")
)


def check(job: Job, context: Context) -> Iterator[Finding]:
    for table in tables.tables(job, *tables.STRICT):
        if table.form not in tables.DECLARED or table.trait("sink") != "true" or table.trait("source") == "true":
            continue
        for setting in job.of(table):
            option = tables.described(table, setting.key) if setting.key.startswith("scan.") else None
            of_consumer = setting.key in _OF_CONSUMER
            decodes = setting.key in _DECODES
            if of_consumer or decodes or (option is not None and option.scope == "source"):
                message = f"{setting.key} has no effect: {'this table' if MASK in table.name else table.name or 'this table'} is only written to here, and only a source reads it"
                yield context.finding(
                    message, setting.key_place(label=setting.key), confidence="low" if of_consumer or decodes else "", covers=[setting]
                )
