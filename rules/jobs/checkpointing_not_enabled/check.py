"""No checkpoint interval in the code, on the command line or in the cluster's configuration."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.jobs import questions
from shoal.model import Finding, Place
from shoal.templates import tables

_STREAMS = (
    "kafka",
    "upsert-kafka",
    "dynamic-kafka",
    "kinesis",
    "pulsar",
    "rabbitmq",
    "mysql-cdc",
    "postgres-cdc",
    "mongodb-cdc",
    "oracle-cdc",
    "sqlserver-cdc",
)
_SHOWN = ("print", "blackhole")


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Silent where a rule about the job's sinks or starting offsets says the same with more to the point."""
    if (
        job.kind != "job"
        or tables.checkpoints(job)
        or questions.managed(job)
        or questions.batch(job)
        or not questions.only_config_unseen(job, handed_on=_passed_inside(job))
    ):
        return
    if not questions.code_blocks(job):
        yield from _directories(job, context)
    sources = [
        one
        for one in tables.sources(job)
        if one.trait("connector") in _STREAMS and one.trait("hint") != "true" and not tables.ends(job, one)
    ]
    sinks = [block for block in job.select("flink", ("sink", "table")) if block.role == "sink" or block.trait("sink") == "true"]
    if not sources or (sinks and all(block.trait("connector") in _SHOWN for block in sinks)) or (not sinks and job.usages("only-shown")):
        return
    if any(value in ("exactly-once", "at-least-once") for _, _, value in tables.sinks(job)):
        return
    starts = [tables.option(job, block, tables.STARTUP) for block in sources]
    codes = [block for block in questions.code_blocks(job) if block.role == "job"] or questions.code_blocks(job)
    at_end = [start for start in starts if start is not None and start.sure == "sure" and tables.text(start) in ("latest-offset", "latest")]
    # who reads the file of the environment does not see what is said of a source that another file makes
    if not codes or any(codes[0].form != "java" or start.path == codes[0].place.path for start in at_end):
        return
    message = f"no checkpoint is ever taken: no execution.checkpointing.interval in the code, {questions.where(job)}. A failure loses all state, and how far the job had read"
    # of a script, the table that never ends says more than whichever statement comes first
    at = sources[0] if codes[0].role == "session" and sources[0].place.path == codes[0].place.path else codes[0]
    related: list[tuple[Place, str]] = [] if at is sources[0] else [(sources[0].place, "never ends")]
    for sink in sinks[:3]:
        named = job.get(sink, "connector")
        related.append((named.place() if named is not None else sink.place, "is written without checkpoints"))
    yield context.finding(
        message, at, [*related, *questions.submitted(job), *questions.looked(job, at.place)], confidence=questions.surely_absent(job)
    )


def _passed_inside(job: Job) -> bool:
    """Whether every class that the environment of a Java program is given to is a part of the job, and so is the one that makes it."""
    parts = {path.rpartition("/")[2].removesuffix(".java") for path in job.paths}
    return any(block.trait("made") != "elsewhere" for block in questions.code_blocks(job)) and all(
        usage.detail in parts for usage in job.usages("gives-environment")
    )


def _directories(job: Job, context: Context) -> Iterator[Finding]:
    """Where checkpoints go is said, and not how often they are taken; a jar may say it."""
    for block in job.select("flink", ("deployment",)):
        folder = job.get(block, "execution.checkpointing.dir")
        if (
            folder is None
            or job.get(block, "spec.job.jarURI") is None
            or job.get(block, "kubernetes.operator.periodic.checkpoint.interval")
        ):
            continue
        message = "no checkpoint is ever written here unless the program asks for it: the directory is set, and execution.checkpointing.interval is not"
        yield context.finding(message, folder, questions.looked(job, folder.place()), confidence="low")
