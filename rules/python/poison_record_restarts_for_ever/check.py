"""An unguarded parse in an operator together with a restart strategy that never gives up."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block, Setting, Usage
from shoal.job import Job
from shoal.jobs import questions
from shoal.model import Finding, Place
from shoal.templates import beam, tables

_KIND = "restart-strategy.type"
_ATTEMPTS = "restart-strategy.fixed-delay.attempts"
_ENDLESS = 100_000
_STREAMS = ("kafka", "kinesis", "pulsar", "rabbitmq")


def check(job: Job, context: Context) -> Iterator[Finding]:
    found = job.usages("unguarded-parse")
    yield from _streamed(job, context, _first(found, "beam:"))
    parses = _first(found, "flink:")
    if not parses:
        return
    endless, interval, source = _endless(job), questions.interval(job), _source(job)
    # where one operator sees to it that records parse, those behind it may get none that do not
    seen_to = any(usage.detail.startswith("flink:") for usage in job.usages("guarded-parse"))
    unsure = "low" if seen_to or job.kind == "cluster" else ""
    sure = "low" if questions.hidden(job) else unsure
    for usage in parses:
        if endless is not None:
            message = (
                "one record that does not parse fails the job, which restarts, reads it again and fails, for ever: send it to a side output"
            )
            yield context.finding(
                message,
                usage.place._replace(label=usage.detail),
                [(endless, "the restarts never end")],
                confidence=unsure,
            )
        elif interval is not None and not job.anywhere("flink", _KIND):
            message = "one record that does not parse fails the job; with checkpoints on, Flink restarts it without a limit by default, and reads the record again: send it to a side output"
            yield context.finding(message, usage.place._replace(label=usage.detail), [(interval, "checkpoints are on")], confidence=sure)
        elif (limit := _limit(job)) is not None and source is not None:
            message = f"one record that does not parse ends the job: each of its {limit.text.strip()} restarts reads it again, and so does every later start from a checkpoint: send it to a side output"
            yield context.finding(
                message, usage.place._replace(label=usage.detail), [(limit, "so many restarts"), source], confidence="low"
            )
        elif interval is None and questions.managed(job) and source is not None:
            message = f"one record that does not parse fails the job, which reads it again from the checkpoint that {job.outside} has taken: send it to a side output"
            yield context.finding(
                message, usage.place._replace(label=usage.detail), [(source, "where records come from")], confidence="low"
            )
        elif interval is None and source is not None:
            message = "one record that does not parse ends the job: without checkpoints Flink does not restart it, and where something does, it may meet the record again: send it to a side output"
            yield context.finding(
                message, usage.place._replace(label=usage.detail), [(source, "where records come from")], confidence="low"
            )


def _first(parses: list[Usage], engine: str) -> list[Usage]:
    """The first parse of each file: the others of it want the same mend."""
    first: dict[str, Usage] = {}
    for usage in parses:
        if usage.detail.startswith(engine):
            first.setdefault(usage.place.path, usage)
    return list(first.values())


def _streamed(job: Job, context: Context, parses: list[Usage]) -> Iterator[Finding]:
    """Runners give up a bundle of a batch pipeline after some attempts, one of a streaming pipeline never."""
    says = (block for block in job.select("beam", ("pipeline",)) if beam.streams(job, block))
    reads = (usage.place for kind in ("reads-pubsub", "reads-endless") for usage in job.usages(kind))
    signs: Iterator[Block | Place] = itertools.chain(says, reads)
    streaming = next(signs, None) if parses else None
    if streaming is None:
        return
    for usage in parses:
        message = "one record that does not parse fails its bundle, which a streaming runner tries again for ever: what is behind it waits; give it an output of its own (with_exception_handling, in Java exceptionsVia)"
        yield context.finding(message, usage.place._replace(label=usage.detail), [(streaming, "streams")], confidence="low")


def _source(job: Job) -> Block | None:
    """What the job reads that others write, for as long as they do."""
    return next((one for one in tables.sources(job) if one.trait("connector") in _STREAMS and one.trait("bounded") != "true"), None)


def _limit(job: Job) -> Setting | None:
    """The number of restarts after which a job that checkpoints is given up."""
    found = job.effective_anywhere("flink", _ATTEMPTS) if questions.interval(job) is not None else None
    return found if found is not None and found.known and found.text.strip().isdigit() else None


def _endless(job: Job) -> Setting | None:
    for attempts in job.anywhere("flink", _ATTEMPTS):
        if attempts.known and attempts.text.strip().isdigit() and int(attempts.text) >= _ENDLESS:
            return attempts
    for kind in job.anywhere("flink", _KIND):
        if kind.known and kind.text.strip().lower().replace("-", "") in ("exponentialdelay",):
            return kind
    return None
