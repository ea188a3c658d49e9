"""Compose services that run TaskManagers with no `restart`."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding


def check(job: Job, context: Context) -> Iterator[Finding]:
    """A cluster that somebody made to last (high availability, a JobManager that restarts) is meant to stay up."""
    blocks = job.select("flink", ("cluster",), ("compose",))
    masters = [block for block in blocks if block.trait("role") == "jobmanager"]
    lasting = next((block for block in masters if block.trait("restart", "no") != "no"), None)
    durable = next(iter(job.origins("flink", "high-availability.type")), None)
    for block in blocks:
        if block.trait("role") != "taskmanager" or block.trait("restart", "no") not in ("no", "none"):
            continue
        message = (
            f"when the process of {block.name} ends, it stays down, and its jobs wait for slots that never come: a TaskManager shuts itself down when a "
            "task does not react to a cancel for task.cancellation.timeout, and in a standalone cluster nothing but a restart policy brings it back"
        )
        related = [(lasting, "restarts")] if lasting is not None else [(durable, "made to last")] if durable is not None else []
        stays_up = related and ".devcontainer/" not in block.place.path  # which an editor starts and stops for its window
        yield context.finding(message, block, related, confidence="medium" if stays_up else "low")
