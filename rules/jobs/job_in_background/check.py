"""`spark-submit … &` and `docker exec -d … flink run …` in scripts and in the commands of a scheduler."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding

# Somebody types `make run` and looks at what happens.
_RECIPES = pattern(r"(?i)(?:.*[/\\])?(?:gnumakefile|makefile|justfile)[^/\\]*|.*\.mk")


def check(job: Job, context: Context) -> Iterator[Finding]:
    for oddity in job.oddities:
        if oddity.kind != "job-let-go" or _RECIPES.fullmatch(oddity.place.path):
            continue
        how = "in the background" if oddity.detail == "&" else "in a detached exec"
        message = f"{oddity.subject} is run {how}, so its exit code is lost: whoever runs this sees success, also when the job is refused or fails later"
        yield context.finding(message, oddity)
