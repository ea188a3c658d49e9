"""Catalogs of Iceberg that are of the type `hadoop`, and their warehouse: in SQL, in Spark's configuration, in Kafka Connect, in Java."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Setting
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.templates.common import text
from shoal.values.objectstores import scheme

_SPARK = pattern(r"(spark\.sql\.catalog\.\w+)\.(?:type|catalog-impl)")
_READS = pattern(r"(?i)\.read\b|\.table\(|\bselect\b|\.show\(")
_COMMITS = pattern(r"(?i)\.write\b|writeTo\b|writeStream|\b(?:insert|merge)\s+into\b|insert\s+overwrite|execute_insert")
_IMPL = "org.apache.iceberg.hadoop.hadoopcatalog"


def check(job: Job, context: Context) -> Iterator[Finding]:
    """A lock manager makes up for the rename. What is hidden may be one. Who only reads commits nothing."""
    kinds = {statement.kind for statement in job.statements()}
    if "select" in kinds and not kinds & {"insert", "create-table-as"}:
        return
    raw = context.module.raw if context.module is not None else ""
    if _READS.search(raw) and not _COMMITS.search(raw):
        return
    for block in job.select("flink", ("catalog", "table")):
        if text(job.get(block, "type")) == "iceberg" or block.trait("connector") == "iceberg":
            yield from _catalog(
                job,
                context,
                block.open,
                job.written(block, "catalog-type") or job.written(block, "catalog-impl"),
                job.written(block, "warehouse"),
                job.written(block, "lock-impl"),
            )
    for block in job.select("kafka-connect", ("connector",)):
        named = [job.written(block, f"iceberg.catalog.{name}") for name in ("type", "catalog-impl", "warehouse", "lock-impl")]
        yield from _catalog(job, context, block.open, named[0] or named[1], named[2], named[3])
    for block in job.select("spark"):
        for setting in job.of(block):
            found = _SPARK.fullmatch(setting.key)
            if found is not None and "iceberg" in (text(job.written(block, found.group(1))) or "iceberg"):
                warehouse = job.effective(block, f"{found.group(1)}.warehouse")
                yield from _catalog(job, context, block.open, setting, warehouse, job.effective(block, f"{found.group(1)}.lock-impl"))
    for oddity in job.oddities:
        if oddity.kind == "hadoop-catalog":
            yield context.finding(_message(oddity.subject), oddity, confidence="low" if oddity.detail == "configured" else "")


def _catalog(
    job: Job, context: Context, hidden: bool, kind: Setting | None, warehouse: Setting | None, lock: Setting | None
) -> Iterator[Finding]:
    if kind is None or warehouse is None or lock is not None or hidden or not warehouse.known or text(kind) not in ("hadoop", _IMPL):
        return
    if found := scheme(warehouse.text):
        yield context.finding(_message(found), kind, [(warehouse, "the warehouse")])


def _message(store: str) -> str:
    return f"of two commits to one table at the same time one is lost, and both report success: the Hadoop catalog relies on an atomic rename, which {store}:// does not have; use a REST, Glue, Hive or JDBC catalog"
