"""`flink run` in a container that asks itself for the JobManager (run on 1.20.1 with either conf: Connection refused)."""

from __future__ import annotations

import json
import posixpath
from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block
from shoal.job import Job
from shoal.jobs import programs
from shoal.model import Finding
from shoal.readers.flink_client import OFFICIAL


def check(job: Job, context: Context) -> Iterator[Finding]:
    changed = {(usage.detail, posixpath.dirname(usage.place.path)) for usage in job.usages("jobmanager-told")}
    for oddity in job.oddities:
        if oddity.kind != "client-untold" or (oddity.subject, posixpath.dirname(oddity.place.path)) in changed:
            continue
        master, image, overridden = json.loads(oddity.detail)
        if image and not _says_nothing(job, programs.below(oddity.place, image), overridden):
            continue
        asks = "localhost" if overridden else "its own hostname"
        message = (
            f"nothing tells {oddity.subject} where the JobManager is, so flink run looks for it at {asks}, in its own container: it is refused, and no job is submitted "
            f"(-m {master or 'HOST'}:8081, or JOB_MANAGER_RPC_ADDRESS{'' if not overridden else ' with the entry point of the image'})"
        )
        yield context.finding(message, oddity, related=oddity.related, confidence="" if master else "low")


def _says_nothing(job: Job, path: str, overridden: bool) -> bool:
    """Whether a Dockerfile builds on Flink's own image, and leaves its conf and its entry point as they are."""
    seen = job.in_file(path)
    bases = [one for one in seen.dependencies if one.ecosystem == "image"]
    return (
        bool(bases)
        and all(OFFICIAL.fullmatch(base.name) for base in bases)
        and not seen.usages("jobmanager-told", *(() if overridden else ("entry-point",)))
        and not any("conf" in mount.path or mount.path.rstrip("/") in ("/opt", "/opt/flink") for mount in seen.mounts)
        and not any(isinstance(block, Block) and block.role == "cluster" for block in seen.blocks.values())
    )
