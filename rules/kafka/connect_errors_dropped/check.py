"""`errors.tolerance=all` without a dead-letter queue, or with one that a source does not have, and events that Debezium is told to pass over."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.templates.common import text, verbatim

_SOURCE = pattern(r"Source|^\s*io\.debezium\.connector\.")
_DEBEZIUM = pattern(r"\s*io\.debezium\.connector\.(?!jdbc\.)\w+\.(?!\w*Sink)\w+\s*")
# Options that say what becomes of an event, and of which.
_FAILURES = {
    "event.processing.failure.handling.mode": "cannot be processed",
    "inconsistent.schema.handling.mode": "is of a table it does not know",
}
# How a connector that Confluent Cloud runs is told who it is: for each sink there the dead-letter topic is made by itself, `dlq-` and the connector's id.
_OF_CLOUD = ("kafka.api.key", "kafka.auth.mode", "kafka.service.account.id")


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Only sinks have a dead-letter queue; a source is recognised by having no topics to read. Logging makes the loss visible: an advice then."""
    for block in job.select("kafka-connect", ("connector",)):
        yield from _passed_over(job, block, context)
        found = job.get(block, "errors.tolerance")
        if found is None or not found.known or found.text.strip().lower() != "all" or block.open:
            continue
        queue = job.get(block, "errors.deadletterqueue.topic.name")
        kind = job.get(block, "connector.class")
        source = kind is not None and kind.known and _SOURCE.search(kind.text) and "Sink" not in kind.text
        sink = job.get(block, "topics") or job.get(block, "topics.regex")
        if source and not sink:
            if queue is not None and (not queue.known or queue.text.strip()):
                message = "records that cannot be converted vanish: errors are tolerated, and only sinks write to a dead-letter queue"
                yield context.finding(message, found, [(queue, "not read by a source")])
            else:
                message = "records that a transformation or a converter fails on are skipped, and the source's offset moves on: a source has no dead-letter queue"
                yield context.finding(message, found, severity="info", confidence="low")
            continue
        if not sink or (queue is not None and (not queue.known or queue.text.strip())) or any(job.written(block, key) for key in _OF_CLOUD):
            continue
        logged = job.get(block, "errors.log.enable")
        counted = logged is not None and logged.text.strip().lower() == "true"
        message = (
            "records that cannot be converted or written vanish: errors are tolerated, and there is no errors.deadletterqueue.topic.name"
        )
        yield context.finding(message, found, [(logged, "only logged")] if logged and counted else [], severity="info" if counted else "")


def _passed_over(job: Job, block: Block, context: Context) -> Iterator[Finding]:
    """The first option by which a connector of Debezium goes on behind an event that it could not handle."""
    if not _DEBEZIUM.fullmatch(verbatim(job.written(block, "connector.class"))):
        return
    for key, which in _FAILURES.items():
        found = job.written(block, key)
        if found is not None and (mode := text(found)) in ("warn", "skip", "ignore"):
            told = "with a warning" if mode == "warn" else "without a word"
            message = f"an event that {which} is passed over {told}, and the connector goes on behind it: that change never reaches Kafka"
            yield context.finding(message, found)
            return
