"""`maxUnavailable: 0`, and `minAvailable` against how many pods there are."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from shoal.context import Context
from shoal.facts import Usage
from shoal.job import Job
from shoal.jobs.boundaries import folder_of
from shoal.model import Finding

_DRAINED = (
    "a node with one of them cannot be drained: its upgrade, and the autoscaler, wait until somebody deletes the pod or the budget by hand"
)


def check(job: Job, context: Context) -> Iterator[Finding]:
    workloads = [(usage, json.loads(usage.detail)) for usage in job.usages("pods-of")]
    for usage in job.usages("pods-kept"):
        budget = json.loads(usage.detail)
        if budget["least"] is None:
            yield context.finding(f"no pod may ever be evicted: {_DRAINED}", usage.place._replace(label=""))
            continue
        chosen = [(one, told) for one, told in workloads if _is_of(usage, budget, one, told)]
        if len(chosen) == 1 and 0 < chosen[0][1]["replicas"] <= budget["least"]:
            there = chosen[0][1]["replicas"]
            message = f"no pod may be evicted while all are well: {budget['least']} must stay, and there {'is one' if there == 1 else f'are {there}'}; {_DRAINED}"
            yield context.finding(message, usage.place._replace(label=""), [(chosen[0][0].place, "how many there are")])


def _is_of(budget: Usage, wanted: dict[str, Any], workload: Usage, told: dict[str, Any]) -> bool:
    """Whether a budget is for the pods of a workload: in its folder or in one beside it, by their labels and namespaces."""
    folder, beside = folder_of(budget.place.path), folder_of(workload.place.path)
    near = folder == beside or (bool(folder and beside) and folder_of(folder) == folder_of(beside))
    there = wanted["namespace"] == told["namespace"] or not (wanted["namespace"] and told["namespace"])
    return near and there and wanted["labels"].items() <= told["labels"].items()
