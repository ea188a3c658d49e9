"""The same option in the code and in a file, with different values."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Setting
from shoal.job import Job
from shoal.jobs.effective import origin
from shoal.model import Finding

# Options that an operator sets for good reasons, and that a program has no business to change behind his back.
_PREFIXES = {
    "flink": ("execution.checkpointing.", "state.", "restart-strategy", "table.exec.state.ttl", "task.cancellation."),
    "spark": ("spark.sql.streaming.", "spark.sql.shuffle.partitions", "spark.streaming.", "spark.task.maxFailures"),
}
# What a job does want to have for itself.
_OWN = (
    "spark.sql.streaming.checkpointLocation",
    "execution.checkpointing.dir",
    "execution.checkpointing.savepoint-dir",
    "state.checkpoints.dir",
    "state.savepoints.dir",
)


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Of several clusters none of which names the program, each may be one that it never runs on: low confidence."""
    if job.kind != "job":
        return
    for engine, prefixes in _PREFIXES.items():
        for block in job.select(engine, ("job", "session")):
            for setting in job.of(block):
                if setting.known and setting.key.startswith(prefixes) and setting.key not in _OWN:
                    other = _loser(job, engine, setting)
                    if other is not None:
                        message = (
                            f"{setting.text.strip()} counts, and not the {other.text.strip()} of {other.path}: "
                            f"what the program sets for {setting.key} comes after every configuration"
                        )
                        # a script of statements is where a job's own options are meant to stand, and spark-defaults.conf what jobs may differ from
                        own = block.role == "session" or job.blocks[other.block].role == "defaults"
                        confidence = "low" if own or _one_of_several(job, other) else ""
                        yield context.finding(message, setting, [(other, "has no effect on this job")], confidence=confidence)


def _one_of_several(job: Job, other: Setting) -> bool:
    return bool(job.environment) and not any(member.path == other.path and member.why.startswith("runs ") for member in job.members)


def _loser(job: Job, engine: str, setting: Setting) -> Setting | None:
    """A setting of the same option in another file, with another value, that this one wins over."""
    mine = origin(job.blocks[setting.block])
    for other in job.origins(engine, setting.key):
        theirs = origin(job.blocks[other.block])
        if other.path == setting.path or mine is None or theirs is None or theirs.rank >= mine.rank or not other.known:
            continue
        if _value(engine, other.text) != _value(engine, setting.text):
            return other
    return None


def _value(engine: str, text: str) -> object:
    """A value in a form that compares equal however it is written."""
    folded = text.strip().strip("\"'").lower()
    if engine == "flink":
        from shoal.values import Bad
        from shoal.values.flink import parse_duration

        length = parse_duration(folded)
        if not isinstance(length, Bad):
            return length.nanos
    return folded.replace("-", "_")
