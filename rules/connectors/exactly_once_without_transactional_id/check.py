"""`sink.delivery-guarantee = exactly-once` without `sink.transactional-id-prefix`."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import tables


def check(job: Job, context: Context) -> Iterator[Finding]:
    """`sink.semantic`, the old name of the option, brought a default prefix with it until connector 3.x, and the old producer makes its own.

    KafkaSink's builder has the prefix `kafka-sink` until connector 3.4, and none from 4.0 on, which is built for Flink 2.0.
    """
    version = job.version("flink")
    for block, setting, value in tables.sinks(job):
        if value != "exactly-once" or block.open or setting.key == "sink.semantic" or tables.option(job, block, *tables.PREFIX):
            continue
        if block.trait("legacy") or (block.role == "table" and block.trait("connector") not in ("kafka", "upsert-kafka")):
            continue
        missing = tables.PREFIX[0] if block.role == "table" else "a transactional id prefix"
        shared = "all sinks without one share the prefix `kafka-sink`: two jobs on one Kafka cluster abort each other's transactions"
        if version is None:
            message = f"exactly-once needs {missing}: from Flink 2.0 on the job is refused, and before {shared}"
        elif version.at_least("2.0"):
            message = f"the job is refused: exactly-once needs {missing}, by which the sink finds its transactions again"
        else:
            message = f"exactly-once needs {missing}: on Flink {version.text} {shared}, and Flink 2.0 refuses the job"
        sure = version is not None and version.at_least("2.0")
        # a table's prefix is optional until connector 4.0, and matters to those who have two such jobs
        confidence = "low" if block.role == "table" and not sure else ""
        yield context.finding(message, setting, severity="" if version is None or sure else "warning", confidence=confidence)
