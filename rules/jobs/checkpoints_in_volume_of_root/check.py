"""Directories of Flink's state in volumes that Docker makes root's, while Flink's image runs it as another user."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Setting, Usage
from shoal.job import Job
from shoal.jobs import questions
from shoal.model import Finding
from shoal.templates import flink
from shoal.templates.common import lookup

_WHAT = ((questions.CHECKPOINT_DIR, "checkpoint"), (questions.SAVEPOINT_DIR, "savepoint"), (flink.HA_DIR, "high-availability file"))


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Once for a compose file, at the first container that mounts such a volume."""
    told: set[str] = set()
    for usage in job.usages("volume-of-root"):
        if usage.place.path in told:
            continue
        for what, directory in _directories(job, usage):
            told.add(usage.place.path)
            message = (
                f"no {what} can be written: Docker makes the folder {usage.detail} of this volume root's, since the image has none there, "
                "and its entry point runs Flink as the user flink (make the folder in an image of your own and give it to flink, or mount the volume at /tmp)"
            )
            yield context.finding(message, usage.place, [(directory, "goes here")])
            break


def _directories(job: Job, usage: Usage) -> Iterator[tuple[str, Setting]]:
    """The directories that lie in a volume, each with what is written there."""
    for key, what in _WHAT:
        found = lookup(job, job.blocks[usage.block], key) or next(iter(job.origins("flink", key)), None)
        if found is not None and found.known and f"{flink.local_path(found.text)}/".startswith(f"{usage.detail}/"):
            yield what, found
