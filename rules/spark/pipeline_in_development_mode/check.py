"""`development: true` of a pipeline itself: not of a target of a bundle, which sets it for a developer's own copy."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates.common import text


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select("spark", ("application",), ("bundle",)):
        found = job.get(block, "pipeline.development")
        if found is not None and text(found) == "true" and not block.trait("target"):
            message = "in development mode an update that fails is not tried again, and its cluster is kept running for two hours; a bundle with this is refused for a target in production mode (leave it out, and let the target's mode say it)"
            yield context.finding(message, found)
