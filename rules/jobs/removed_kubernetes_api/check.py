"""`apiVersion: extensions/v1beta1` and the like, of what runs a streaming engine."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding

_NOW = {"CronJob": "batch/v1", "Job": "batch/v1"}


def check(job: Job, context: Context) -> Iterator[Finding]:
    for oddity in job.oddities:
        if oddity.kind == "removed-kubernetes-api":
            kind, _, gone = oddity.detail.partition(" ")
            now = _NOW.get(kind, "apps/v1")
            wants = ", which wants a spec.selector" if now == "apps/v1" else ""
            message = f"the API server refuses this {kind}: Kubernetes has not served it in {oddity.subject} since {gone} ({now}{wants})"
            yield context.finding(message, oddity)
