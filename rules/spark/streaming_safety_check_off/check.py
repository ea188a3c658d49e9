"""Checks of Structured Streaming set to false."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import spark

_CHECKS = {
    "spark.sql.streaming.unsupportedOperationCheck": "queries that streaming cannot run correctly start all the same, and give wrong results",
    "spark.sql.streaming.statefulOperator.checkCorrectness.enabled": "chained stateful operators drop rows as late without saying so",
    "spark.sql.streaming.stateStore.stateSchemaCheck": "a query whose state has another schema starts on it, and fails or reads garbage later",
    "spark.sql.streaming.stateStore.formatValidation.enabled": "state in a wrong format is read as if it were right",
    "spark.sql.streaming.checkpoint.verifyMetadataExists.enabled": "a query whose checkpoint has lost its metadata starts anew instead of failing",
}


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select("spark"):
        for key, what in _CHECKS.items():
            found = job.get(block, key)
            if found is not None and spark.text(found) == "false":
                yield context.finding(f"{what}: the check is off", found)
