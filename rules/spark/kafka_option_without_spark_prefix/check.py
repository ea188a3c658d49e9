"""Options of the Kafka client on a Spark source or sink without `kafka.`."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import kafka, spark

# The producer's options without a dot; a reader's `retries` may be an option of any other source's.
_DOTLESS = ("acks", "retries")


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select("spark", ("reader", "writer", "batch-reader", "batch-writer")):
        if block.trait("format") != "kafka":
            continue
        for setting in job.of(block):
            key = setting.key
            dotless = block.role.endswith("writer") and key.lower() in _DOTLESS
            if ("." not in key and not dotless) or key.lower().startswith("kafka.") or not kafka.is_option(key.lower()):
                continue
            if key.lower() == "bootstrap.servers" and spark.option(job, block, "kafka.bootstrap.servers") is not None:
                message = "Spark never looks at bootstrap.servers: its brokers are those of kafka.bootstrap.servers, which is given too"
                yield context.finding(message, setting)
                continue
            if key.lower() == "bootstrap.servers":
                message = "the query fails to start: brokers are given as kafka.bootstrap.servers"
                yield context.finding(
                    message, setting, severity="error", fixes=[context.rename(setting, f"kafka.{key}", f"write kafka.{key}", "unsafe")]
                )
                continue
            message = f"the client never sees {key}: Spark hands on options that begin with `kafka.`, and ignores the rest"
            fixes = (
                []
                if key.lower() in ("group.id", "auto.offset.reset", "enable.auto.commit")
                else [context.rename(setting, f"kafka.{key}", f"write kafka.{key}", "unsafe")]
            )
            yield context.finding(message, setting, fixes=fixes)
