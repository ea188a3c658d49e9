"""`errors.tolerance=all` without a dead-letter queue."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Only sinks have a dead-letter queue; a source is recognised by having no topics to read. Logging makes the loss visible: an advice then."""
    for block in job.select("kafka-connect", ("connector",)):
        found = job.get(block, "errors.tolerance")
        if found is None or not found.known or found.text.strip().lower() != "all" or block.open:
            continue
        queue = job.get(block, "errors.deadletterqueue.topic.name")
        if queue is not None and (not queue.known or queue.text.strip()):
            continue
        if not (job.get(block, "topics") or job.get(block, "topics.regex")):
            continue
        logged = job.get(block, "errors.log.enable")
        counted = logged is not None and logged.text.strip().lower() == "true"
        message = (
            "records that cannot be converted or written vanish: errors are tolerated, and there is no errors.deadletterqueue.topic.name"
        )
        yield context.finding(message, found, [(logged, "only logged")] if logged and counted else [], severity="info" if counted else "")
