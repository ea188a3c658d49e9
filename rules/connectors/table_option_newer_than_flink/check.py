"""Options in `WITH (…)` that the pinned version of Flink does not have yet; the connector refuses them."""

from __future__ import annotations

from collections.abc import Iterator

from shoal import catalogue
from shoal.context import Context
from shoal.job import Job, numbers
from shoal.model import Finding
from shoal.templates import tables

# Released apart from Flink: a newer connector may be in use, if one was ever built for that version. That of 1.19 takes `filter.handling.policy`
# with JDBC 3.3.0, and Flink 1.20 takes `scan.parallelism` with Kafka 4.0.1 (the factories of these releases were asked).
_APART = ("kafka", "upsert-kafka", "jdbc")


def check(job: Job, context: Context) -> Iterator[Finding]:
    oldest = numbers(catalogue.load("flink-table").versions[0])
    for table in tables.tables(job, *tables.STRICT):
        version = job.version("flink", table)
        if version is None or len(version.parts) < 2 or version.parts < oldest:
            continue
        for setting in job.of(table):
            option = None if tables.is_passed_on(job, table, setting.key) else tables.described(table, setting.key)
            if option is None or option.prefix or option.since is None or version.parts[:2] >= numbers(option.since):
                continue
            own = table.trait("connector") in _APART and tables.is_of_connector(table, setting.key)
            message = f"the statement is refused: {setting.key} came with Flink {option.since}, and {version.minor} is in use"
            yield context.finding(
                message,
                setting.key_place(label=setting.key),
                [(version.source, "the version")],
                confidence="medium" if own else "",
                covers=[setting],
            )
