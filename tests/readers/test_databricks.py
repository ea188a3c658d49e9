"""Documents of Databricks' Jobs and Pipelines APIs."""

from __future__ import annotations

import json
from typing import Any

import pytest
from reader_facts import assert_sound, reading, values

from shoal.readers import Reading

TASK = {"task_key": "read", "spark_python_task": {"python_file": "/jobs/read.py"}, "existing_cluster_id": "1"}
PIPELINE = {"name": "orders", "notebooks": [{"path": "/Repos/shop/orders"}], "continuous": True, "edition": "CORE", "serverless": True}


def read(document: dict[str, Any]) -> Reading:
    out = reading(json.dumps(document, indent=1), "json", "jobs/orders.json")
    assert_sound(out)
    return out


@pytest.mark.parametrize("wrapped", [False, True])
def test_job(wrapped: bool) -> None:
    job = {"name": "orders", "tasks": [TASK, {**TASK, "task_key": "sum", "depends_on": [{"task_key": "read"}]}], "max_concurrent_runs": 2}
    out = read({"job_id": 1, "settings": job} if wrapped else job)
    found = values(out)
    assert found["job.tasks.1.depends_on.0"] == "read"
    assert found["job.max_concurrent_runs"] == "2"


def test_pipeline() -> None:
    found = values(read(PIPELINE))
    assert (found["pipeline.continuous"], found["pipeline.edition"]) == ("true", "CORE")


@pytest.mark.parametrize(
    "document",
    [
        {"name": "build", "tasks": [{"task_key": "x", "script": "spark"}]},
        {"name": "book", "edition": "CORE", "target": "spark"},
        {"tasks": [{"name": "read", "existing_cluster_id": "spark"}]},
    ],
)
def test_other_documents(document: dict[str, Any]) -> None:
    assert not values(read(document))
