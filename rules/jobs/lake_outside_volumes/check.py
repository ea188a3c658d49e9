"""Catalogs of lakes whose tables lie on a local path, in one file, the containers and their volumes in another."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block
from shoal.job import Job
from shoal.jobs import questions
from shoal.model import Finding
from shoal.templates import flink, tables

# By a catalog's type the option that says where its tables lie.
_WHERE = {"paimon": "warehouse", "iceberg": "warehouse", "hudi": "catalog.path"}
# Catalogs that are servers: the path is one of theirs, or no path at all.
_SERVED = ("catalog-impl", "uri")


def check(job: Job, context: Context) -> Iterator[Finding]:
    """For the first catalog at each path."""
    containers = [block for block in questions.config_blocks(job) if block.form == "compose"]
    masters = [block for block in containers if block.trait("role") == "jobmanager"]
    workers = [block for block in containers if block.trait("role") == "taskmanager"]
    if len(masters) != 1 or not workers or len({block.place.path for block in containers}) > 1:
        return  # one process may do all, or which cluster it is cannot be told
    said: set[str] = set()
    for catalog in job.select("flink", ("catalog",)):
        setting = job.get(catalog, _WHERE.get(tables.text(job.get(catalog, "type")), ""))
        if setting is None or not setting.known or any(job.get(catalog, key) is not None for key in _SERVED):
            continue
        path = flink.local_path(setting.text).rstrip("/")
        without = next((block for block in [*masters, *workers] if not _covered(job, path, block)), None)
        if not path.startswith("/") or path in said or without is None:
            continue
        said.add(path)
        message = (
            f"the tables lie in {path}, on the own disk of each container ({without.name} has no volume there): what one writes no other finds, "
            f"and all of it is gone with the containers"
        )
        related = [(without, "no volume there")]
        yield context.finding(message, setting, related, confidence="" if setting.path.endswith(".sql") else "low")


def _covered(job: Job, path: str, block: Block) -> bool:
    return bool(questions.covering((mount for mount in job.mounts if mount.block == block.id and mount.path.strip("/")), path))
