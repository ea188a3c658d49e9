"""Modules for streams that went with Spark 3.0: Kafka's client of 0.8 and Flume."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding

_INSTEAD = {"pyspark.streaming.kafka": 'spark.readStream.format("kafka") takes its place'}


def check(job: Job, context: Context) -> Iterator[Finding]:
    version = job.version("spark")
    for usage in job.usages("spark-api"):
        instead = f"; {_INSTEAD[usage.detail]}" if usage.detail in _INSTEAD else ""
        if version is None:
            message = f"{usage.detail} is gone in Spark 3.0, and the project does not say which Spark this runs on{instead}"
            yield context.finding(message, usage.place, severity="warning", confidence="low")
        elif version.at_least("3.0"):
            message = f"the import fails: {usage.detail} is gone in Spark 3.0, and this project runs on {version.text}{instead}"
            yield context.finding(message, usage.place, [(version.source, f"Spark {version.text}")])
