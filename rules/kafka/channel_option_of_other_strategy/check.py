"""`dead-letter-queue.*`, `delayed-retry-topic.*`, `checkpoint.*` and `throttled.*` are read by the strategy of that name alone.

Of smallrye-reactive-messaging-kafka 4.10.1 and 4.28.0; what was retried in vain goes to the dead letter topic, too (KafkaDelayedRetryTopic).
A strategy by another name is the program's own, and may read anything.
"""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import smallrye

_FAILURE = ("failure-strategy", "fail", ("fail", "ignore", "dead-letter-queue", "delayed-retry-topic"))
_COMMIT = ("commit-strategy", "throttled", ("throttled", "latest", "ignore", "checkpoint"))
# What options begin with -> the attribute that chooses, its default, its own values; and those of its values by which they are read.
_FAMILIES = {
    "dead-letter-queue.": (_FAILURE, ("dead-letter-queue", "delayed-retry-topic")),
    "delayed-retry-topic.": (_FAILURE, ("delayed-retry-topic",)),
    "checkpoint.": (_COMMIT, ("checkpoint",)),
    "throttled.": (_COMMIT, ("throttled",)),
}
_THEN = {"fail": ": the channel stops at the first record that fails", "ignore": ": a record that fails is logged, and lost"}


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in smallrye.channels(job, "consumer"):
        for family in _FAMILIES:
            yield from _judged(job, block, context, family)


def _judged(job: Job, block: Block, context: Context, family: str) -> Iterator[Finding]:
    (attribute, default, known), readers = _FAMILIES[family]
    options = [setting for setting in job.of(block) if setting.key.startswith(family)]
    chosen = job.get(block, attribute)
    if not options or (chosen is not None and not chosen.known):
        return
    value = chosen.text.strip() if chosen is not None else default
    if value not in known or value in readers:
        return
    by_default = " by default" if chosen is None else ""
    message = f"{options[0].key} is not read, {attribute} is {value}{by_default}{_THEN.get(value, '')}"
    related = [(chosen, "the strategy")] if chosen is not None else []
    yield context.finding(message, options[0], related, confidence="" if chosen is not None else "medium", covers=options)
