"""The variables that Kubernetes makes of services, in containers that take each KAFKA_… for an option of the broker."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.jobs.namespaces import meet
from shoal.model import Finding


def check(job: Job, context: Context) -> Iterator[Finding]:
    links, named = job.usages("service-links"), job.usages("service-named")
    if links:
        from shoal.readers.kafka_pods import variable_of  # a YAML parser comes with it
    for usage in links:
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
