"""`max_concurrent_runs` above one for a job that streams, and schedules of Kubernetes and Airflow that do not wait for the last run."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import spark
from shoal.values.kafka import parse_int


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select("spark", ("application",), ("bundle", "manifest")):
        if block.form == "manifest":
            yield from _scheduled(job, block, context)
            continue
        found = job.get(block, "job.max_concurrent_runs")
        count = parse_int(found.text) if found is not None and found.known else None
        if found is None or not isinstance(count, int) or count <= 1:
            continue
        timed = any(setting.key.startswith(("job.continuous.", "job.schedule.", "job.trigger.")) for setting in job.of(block))
        streams = _streams(job, block) or ("sure" if any(setting.key.startswith("job.continuous.") for setting in job.of(block)) else "")
        if timed and streams:
            message = f"up to {count} runs share one checkpoint: the second fails with a concurrent stream log update, or both write the same batch"
            yield context.finding(message, found, confidence="" if streams == "sure" else "low")
    for oddity in job.oddities if _endless(job) else ():
        if oddity.kind == "runs-overlap":
            message = "the first run never ends, and the next one starts beside it, with the same checkpoint: a DAG may have several runs at once unless max_active_runs is 1"
            yield context.finding(message, oddity, confidence="low")


def _scheduled(job: Job, block: Block, context: Context) -> Iterator[Finding]:
    """A ScheduledSparkApplication whose policy is `Allow`, which is the default."""
    schedule, policy = job.get(block, "spec.schedule"), job.get(block, "spec.concurrencyPolicy")
    if block.trait("kind") != "ScheduledSparkApplication" or schedule is None or (policy is not None and policy.text != "Allow"):
        return
    if streams := _streams(job, block):
        said = "concurrencyPolicy is Allow" if policy is not None else "no concurrencyPolicy is set, and the default is Allow"
        message = (
            f"a run begins while the last one still streams, and both share one checkpoint: {said}; the second fails with a concurrent stream "
            "log update, or both write the same batch"
        )
        yield context.finding(message, policy or schedule, confidence="" if streams == "sure" else "low")


def _streams(job: Job, block: Block) -> str:
    """What its settings and names say, and the program that it runs where that is at hand."""
    programs = {entry.target.rsplit("/", 1)[-1] for entry in job.entries if entry.block == block.id}
    queries = job.select("spark", ("reader", "writer"), ("python",))
    return "sure" if any(one.place.path.rsplit("/", 1)[-1] in programs for one in queries) else spark.streams(job, block)


def _endless(job: Job) -> bool:
    """Whether the job's program starts queries, and none of them ends by itself."""
    started = [block for block in job.select("spark", ("writer",)) if block.trait("start")]
    return bool(started) and not any(job.get(block, key) for block in started for key in ("trigger.availableNow", "trigger.once"))
