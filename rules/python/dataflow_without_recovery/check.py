"""A dataflow of Bytewax that keeps state or reads Kafka, run by `run_main(flow)` or `python -m bytewax.run` without a recovery store."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding


def check(job: Job, context: Context) -> Iterator[Finding]:
    kept = {usage.place.path: usage for usage in reversed(job.usages("dataflow-state"))}
    for run in job.usages("dataflow-run"):
        path = _program(run.detail, list(kept)) if run.detail else run.place.path
        if path in kept:
            message = "no recovery store is given: after a crash or a redeploy the dataflow begins with no state, and its Kafka source where it began the first time (python -m bytewax.run -r DIRECTORY, recovery_config=RecoveryConfig(DIRECTORY))"
            yield context.finding(message, run.place, [(kept[path].place, "keeps state")])


def _program(name: str, paths: list[str]) -> str:
    """The file of the one module that a command names: `dataflow`, `app.dataflow`, `src/dataflow.py`; empty where several may be meant."""
    tail = name.removesuffix(".py").replace(".", "/").lstrip("/")
    found = [path for path in paths if f"/{path.removesuffix('.py')}".endswith(f"/{tail}")]
    return found[0] if len(found) == 1 else ""
