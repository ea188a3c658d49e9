"""Joins and aggregations without a window, in scripts that never let state go."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Setting, Statement
from shoal.job import Job
from shoal.jobs import questions
from shoal.model import Finding

_WORDS = {
    "regular-join": "the join keeps every row of both sides",
    "group-by": "the aggregation keeps an entry for every key it ever saw",
    "select-distinct": "DISTINCT keeps every row it ever saw",
    "aggregate-distinct": "the DISTINCT aggregate keeps every value it ever saw",
}
_UNBOUNDED = ("kafka", "kinesis", "pulsar", "rabbitmq", "-cdc", "upsert-kafka")


def check(job: Job, context: Context) -> Iterator[Finding]:
    if job.origins("flink", "table.exec.state.ttl") or any(_is_batch(mode) for mode in job.origins("flink", "execution.runtime-mode")):
        return
    confidence = "low" if questions.hidden(job) else ""
    streams = {
        block.name.rsplit(".", 1)[-1]
        for block in job.select("flink", ("table",))
        if block.trait("connector").endswith(_UNBOUNDED) and block.trait("bounded") != "true"
    }
    for statement in job.others:
        if not isinstance(statement, Statement) or statement.kind != "insert" or "state-ttl-hint" in statement.features:
            continue
        reads = {source.rsplit(".", 1)[-1] for source in statement.sources}
        why = next((words for feature, words in _WORDS.items() if feature in statement.features and not _windowed(feature, statement)), "")
        if why and reads & streams:
            yield context.finding(
                f"state grows without end: {why}, and table.exec.state.ttl is not set (its default keeps state forever)",
                statement.place,
                questions.looked(job, statement.place),
                confidence=confidence,
            )


def _windowed(feature: str, statement: Statement) -> bool:
    """Whether the state is a window's, which goes with the window."""
    return feature == "aggregate-distinct" and "windowed-group-by" in statement.features and "group-by" not in statement.features


def _is_batch(mode: Setting) -> bool:
    return mode.text.strip().lower() == "batch"
