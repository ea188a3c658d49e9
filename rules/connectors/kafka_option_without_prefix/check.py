"""Options of the Kafka client in `WITH (…)` that lack the prefix, or have it twice; in a builder's properties, that have it at all."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import kafka, tables


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select("flink", ("source", "sink")):
        for setting in job.of(block) if block.trait("connector") == "kafka" else ():
            # what a builder is given as a property stands below the prefix already
            name = setting.key.removeprefix("properties.properties.")
            if name != setting.key:
                message = f"the client never sees {name}: the prefix belongs into SQL, a builder hands the name on as it is, and an unknown option is ignored"
                yield context.finding(message, setting)
    for table in tables.tables(job, "kafka", "upsert-kafka", hints=True):
        if job.written(table, "connector.type"):
            continue
        for setting in job.of(table):
            if "." not in setting.key or (tables.described(table, setting.key) and not setting.key.startswith("properties.properties.")):
                continue
            if setting.key.startswith("properties.properties."):
                right = setting.key.removeprefix("properties.")
                message = (
                    f"the client never sees {right.removeprefix('properties.')}: the prefix stands twice, and an unknown option is ignored"
                )
            elif "." in setting.key and not setting.key.startswith("properties.") and kafka.is_option(setting.key):
                right = f"properties.{setting.key}"
                message = f"the statement is refused, Flink's connector has no option {setting.key}: options of the Kafka client begin with `properties.`"
            else:
                continue
            yield context.finding(message, setting, fixes=[context.rename(setting, right, f"write {right}", "safe")])
