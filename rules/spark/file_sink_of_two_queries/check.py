"""The same `path` in two streaming writers of files."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Setting
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import spark

_FILES = frozenset(["parquet", "json", "csv", "orc", "text", "avro"])


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Tables of Delta, Iceberg and Hudi have a log made for several writers."""
    seen: dict[str, Setting] = {}
    for block in job.select("spark", ("writer",)):
        path = spark.option(job, block, "path")
        if block.trait("format") not in _FILES or not block.trait("start") or path is None or not path.known or path.sure == "branch":
            continue
        name = path.text.strip().rstrip("/")
        first = seen.setdefault(name, path)
        if first is not path and first.value_span != path.value_span:
            message = f"two queries write {name}: both keep the list of finished files in its _spark_metadata, so the batches of one are taken for those of the other and dropped"
            yield context.finding(message, path, [(first, "the same folder")])
