"""Camel case for a Python pipeline, snake case for a Java one. Names: FlinkPipelineOptions and PortablePipelineOptions."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import beam

_NAMES = (
    "flink_master checkpointing_interval checkpointing_mode checkpoint_timeout_millis min_pause_between_checkpoints num_concurrent_checkpoints "
    "fail_on_checkpointing_errors externalized_checkpoints_enabled retain_externalized_checkpoints_on_cancellation number_of_execution_retries "
    "execution_retry_delay object_reuse state_backend state_backend_storage_path max_bundle_size max_bundle_time_mills max_parallelism "
    "shutdown_sources_after_idle_ms savepoint_path allow_non_restored_state finish_bundle_before_checkpointing auto_watermark_interval "
    "latency_tracking_interval job_endpoint"
)


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select("beam", ("pipeline",)):
        language = block.trait("language")
        for name in _NAMES.split():
            other = beam.camel(name)
            wrong, right = (other, name) if language == "python" else (name, other)
            found = job.written(block, wrong) if language in ("python", "java") else None
            if found is None or wrong == right:
                continue
            if language == "python":
                message = f"--{wrong} is dropped with no more than a warning in the log: Python spells it --{right}"
                severity = ""
            else:
                message = f"the pipeline does not start: Java has no option --{wrong}, it spells it --{right}"
                severity = "error"
            yield context.finding(
                message,
                found.key_place(),
                severity=severity,
                fixes=[context.rename(found, right, f"write --{right}", "unsafe")],
                covers=[found],
            )
