"""Retries without a strategy, a delimiter of keys without a key, commits of partitions without partitions, or without a policy.

The file system's sink has a committer only where the table is partitioned and `sink.partition-commit.policy.kind` is set (StreamingSink).
"""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import tables

_POLICY = "sink.partition-commit.policy.kind"
_STRATEGY = "sink.bulk-flush.backoff.strategy"
_RETRIES = ("sink.bulk-flush.backoff.delay", "sink.bulk-flush.backoff.max-retries")
_SEARCH = ("elasticsearch-6", "elasticsearch-7")


def check(job: Job, context: Context) -> Iterator[Finding]:
    """One finding for each thing that is missing; a table whose columns or options are partly out of sight may have it."""
    for table in tables.tables(job, *_SEARCH, "filesystem"):
        if table.open or table.trait("like") or table.form not in tables.DECLARED:
            continue
        for keys, why in _missing(job, table):
            found = [setting for key in keys if (setting := job.get(table, key)) is not None]
            if found:
                yield context.finding(f"{found[0].key} has no effect: {why}", found[0], [(other, "nor has this") for other in found[1:]])


def _missing(job: Job, table: Block) -> Iterator[tuple[tuple[str, ...], str]]:
    """Options, and why they do nothing here."""
    if table.trait("connector") == "filesystem":
        commits = tuple(setting.key for setting in job.of(table) if setting.key.startswith("sink.partition-commit."))
        if table.trait("partitioned") != "true":
            yield commits, "the table has no partitions (PARTITIONED BY), so none is ever committed"
        elif _POLICY not in commits:
            yield commits, f"without {_POLICY} no partition is ever committed (success-file, or metastore)"
        return
    strategy = job.get(table, _STRATEGY)
    if strategy is None or (strategy.known and strategy.text.strip().upper() == "DISABLED"):
        told = "is not set (default: DISABLED)" if strategy is None else "is DISABLED"
        yield _RETRIES, f"{_STRATEGY} {told}, so nothing is tried again, and a bulk that is refused once fails the job"
    if table.trait("has-primary-key") != "true":
        yield ("document-id.key-delimiter",), "the table has no primary key, so each row gets an id that Elasticsearch makes up"
