"""A `dead_letter_topic` of a Terraform module that nothing else in the module is given."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.jobs.boundaries import folder_of
from shoal.model import Finding


def check(job: Job, context: Context) -> Iterator[Finding]:
    # a module is the files of a folder
    given = {(folder_of(usage.place.path), usage.detail) for usage in job.usages("topic-given")}
    for usage in job.usages("dead-letters"):
        topic = (folder_of(usage.place.path), usage.detail)
        if topic not in given:
            given.add(topic)  # told once
            message = f"messages that Pub/Sub gives up on go to {usage.detail}, to which nothing in this module subscribes: what is published to a topic without a subscription is lost"
            yield context.finding(message, usage.place)
