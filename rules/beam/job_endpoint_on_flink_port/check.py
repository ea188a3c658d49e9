"""`--job_endpoint` with the port at which Flink's REST API listens: a job server of Beam speaks gRPC, at 8099 by default."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.templates import beam

_REST = pattern(r":8081/?$")


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select("beam", ("pipeline",)):
        endpoint = beam.option(job, block, "job_endpoint")
        if endpoint is not None and endpoint.known and _REST.search(endpoint.text.strip()):
            message = "8081 is where Flink's REST API listens, and the pipeline is submitted to a job server of Beam over gRPC, at 8099 by default: the connection never becomes ready (or take --runner=FlinkRunner and --flink_master)"
            yield context.finding(message, endpoint)
