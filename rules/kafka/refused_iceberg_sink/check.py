"""What the connector looks at when it starts (IcebergSinkConfig.validate)."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import iceberg_sink


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block, named in iceberg_sink.sinks(job):
        tables, field = job.get(block, "iceberg.tables"), job.get(block, "iceberg.tables.route-field")
        dynamic = iceberg_sink.is_dynamic(job, block)
        if dynamic is None:
            continue
        if tables is not None and dynamic:
            message = "the connector refuses the configuration: tables are listed, and dynamic-enabled asks for those that records name"
            yield context.finding(message, tables)
        elif tables is None and dynamic and field is None:
            message = "the connector refuses the configuration: records name their tables, and iceberg.tables.route-field does not say in which field"
            yield context.finding(message, named)
        elif tables is None and not dynamic:
            message = "the connector refuses the configuration: iceberg.tables names no table, and iceberg.tables.dynamic-enabled is not on"
            yield context.finding(message, named)
        elif not any(one.key.startswith("iceberg.catalog.") for one in job.of(block)):
            yield context.finding("the connector refuses the configuration: nothing is said of a catalog (iceberg.catalog.type, …)", named)
