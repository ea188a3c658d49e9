"""`sink.delivery-guarantee = exactly-once` without `sink.transactional-id-prefix`."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import tables


def check(job: Job, context: Context) -> Iterator[Finding]:
    """`sink.semantic`, the old name of the option, brought a default prefix with it until connector 3.x, and the old producer makes its own.

    KafkaSink's builder has the prefix `kafka-sink` until connector 3.4, and none from 4.0 on, which is built for Flink 2.0. A table with
    `sink.delivery-guarantee` was refused by each connector that was tried: 1.16.3, 3.0.2, 3.2.0, 3.3.0, 3.4.0 and 4.0.1.
    """
    version = job.version("flink")
    refused = version is not None and version.at_least("2.0")
    for block, setting, value in tables.sinks(job):
        table = block.role == "table"
        if value != "exactly-once" or block.open or tables.option(job, block, *tables.PREFIX):
            continue
        if block.trait("legacy") or (table and block.trait("connector") not in ("kafka", "upsert-kafka")):
            continue
        if setting.key == "sink.semantic" and not refused:
            continue
        missing = tables.PREFIX[0] if table else "a transactional id prefix"
        shared = "all sinks without one share the prefix `kafka-sink`: two jobs on one Kafka cluster abort each other's transactions"
        if table:
            message = (
                f"the statement that writes to it is refused: exactly-once needs {missing}, by which the sink finds its transactions again"
            )
        elif refused:
            message = f"the job is refused: exactly-once needs {missing}, by which the sink finds its transactions again"
        elif version is None:
            message = f"exactly-once needs {missing}: from Flink 2.0 on the job is refused, and before {shared}"
        else:
            message = f"exactly-once needs {missing}: on Flink {version.text} {shared}, and Flink 2.0 refuses the job"
        yield context.finding(message, setting, severity="" if table or refused or version is None else "warning")
