"""The variables that Kubernetes makes of services, in containers that take each KAFKA_… for an option of the broker."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.readers.kafka_pods import variable_of
from shoal.readers.namespaces import meet


def check(job: Job, context: Context) -> Iterator[Finding]:
    named = job.usages("service-named")
    for usage in job.usages("service-links"):
        service = next((one for one in named if meet(usage, one)), None)
        if service is None:
            continue
        name = usage.detail.rpartition("/")[2]
        variable = variable_of(name)
        message = (
            f"the container ends at its start with `port is deprecated`: Kubernetes gives it {variable}=tcp://… of the service `{name}`, "
            "which the image takes for an option (enableServiceLinks: false keeps it out, so does another name for the service)"
        )
        yield context.finding(message, usage.place, [(service.place, "the service")])
