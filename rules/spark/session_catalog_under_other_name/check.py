"""`spark.sql.catalog.<name>` with a class that hands on to Spark's own catalog, which Spark gives to `spark_catalog` alone."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding

_CATALOG = pattern(r"(?:.+\.)?spark\.sql\.catalog\.(\w+)")
# Spark calls setDelegateCatalog of a CatalogExtension only where it replaces the session's own (CatalogManager.loadV2SessionCatalog).
_EXTENSIONS = {
    "org.apache.iceberg.spark.SparkSessionCatalog": "namespaces, and tables of another format, fail with 'Delegated SessionCatalog is missing'; org.apache.iceberg.spark.SparkCatalog is the class for a catalog of its own",
    "org.apache.spark.sql.delta.catalog.DeltaCatalog": "the first table that is asked for fails with a NullPointerException; set it as spark.sql.catalog.spark_catalog",
    "org.apache.spark.sql.hudi.catalog.HoodieCatalog": "the first table that is asked for fails with a NullPointerException; set it as spark.sql.catalog.spark_catalog",
}


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select("spark"):
        for setting in job.of(block):
            name = _CATALOG.fullmatch(setting.key)
            why = _EXTENSIONS.get(setting.text.strip()) if name is not None and setting.known else None
            if name is not None and why is not None and name.group(1) != "spark_catalog":
                kind = setting.text.strip().rpartition(".")[2]
                message = f"{kind} only adds to the catalog that it stands in for, and Spark hands it one under the name spark_catalog alone, not as {name.group(1)}: {why}"
                yield context.finding(message, setting)
