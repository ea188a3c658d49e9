"""`state_backend` without `state_backend_storage_path`, or one that Beam does not know."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import beam


def check(job: Job, context: Context) -> Iterator[Finding]:
    """As FlinkExecutionEnvironments.configureStateBackend does it."""
    for block in job.select("beam", ("pipeline",)):
        backend, path = beam.option(job, block, "state_backend"), beam.option(job, block, "state_backend_storage_path")
        if backend is None or not backend.known or not backend.text.strip():
            continue
        name = backend.text.strip()
        if path is None and not block.open:
            message = f"the pipeline does not start: state backend {name} needs --{'stateBackendStoragePath' if backend.key == 'stateBackend' else 'state_backend_storage_path'}"
            yield context.finding(message, backend)
        elif name.lower() not in ("rocksdb", "filesystem"):
            message = f"the pipeline does not start: Beam knows the state backends rocksdb and filesystem, not {name}; leave the option out to use that of Flink's own configuration"
            yield context.finding(message, backend)
