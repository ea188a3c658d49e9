"""A node of KRaft (`process.roles`) in a container, with neither `controller.quorum.voters` nor `controller.quorum.bootstrap.servers`."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import kafka

_ASKED = ("controller.quorum.voters", "controller.quorum.bootstrap.servers")


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select("kafka", ("broker",), ("compose", "manifest")):
        roles = job.written(block, "process.roles")
        if roles is None or block.trait("tool") or block.trait("operator") or any(job.written(block, key) for key in _ASKED):
            continue
        image = next(iter(job.images(block)), None)
        if image is not None and kafka.whole_broker(job, block, image.name):
            message = f"the node does not start: it is {roles.text.strip()} of KRaft, and neither {_ASKED[0]} nor {_ASKED[1]} says who the controllers are"
            yield context.finding(message, roles)
